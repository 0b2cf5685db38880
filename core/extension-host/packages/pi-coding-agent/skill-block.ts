export interface SkillBlock {
  name: string;
  location: string;
  content: string;
  /** What the user wrote after the skill's name. */
  userMessage: string | undefined;
}

/** A user message that `/skill:name` made, taken apart; null for any other text. */
export function parseSkillBlock(text: string): SkillBlock | null {
  const match = /^<skill name="([^"]*)" location="([^"]*)">\n([\s\S]*?)\n<\/skill>(?:\n\n([\s\S]+))?$/.exec(text);
  if (!match) return null;
  const [, name = '', location = '', content = '', after] = match;
  return { name, location, content, userMessage: after?.trim() || undefined };
}
