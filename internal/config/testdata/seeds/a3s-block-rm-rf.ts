import { HookEngine, Hook, HookMatcher, HookEventType } from "@a3s-lab/box";

const engine = new HookEngine();

// Block rm -rf commands
engine.register(
  Hook.new("block-rm-rf", HookEventType.PreToolUse)
    .with_matcher(HookMatcher.command("rm\\s+-rf"))
    .with_config({ priority: 1 })
);

engine.register_handler("block-rm-rf", {
  handle: (event) => ({
    action: "Block",
    reason: "Recursive force deletion is not allowed"
  })
});
