// The scripted model is part of the kit for authors; tests of the program use it under these names.
export {
  type ModelApi as FakeApi,
  type ModelReply as FakeReply,
  type ModelRequest as FakeRequest,
  type ScriptedModel as FakeLlm,
  startScriptedModel as startFakeLlm,
} from '../../../core/testing/model/scripted-model.js';
