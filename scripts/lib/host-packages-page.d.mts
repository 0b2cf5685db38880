export const HOST_PACKAGES_PAGE: string;
export const HOST_PACKAGES: Readonly<Record<string, string>>;
export function hostPackagesPage(): Promise<string>;
