// src/hooks/emitter.ts
export class HookEmitter {
  private handlers: Map<string, HookHandler[]>;

  constructor(config?: HooksConfig) {
    this.handlers = new Map();
    if (config) this.loadFromConfig(config);
  }

  on(event: HookEvent, handler: HookHandler) {
    const existing = this.handlers.get(event) || [];
    this.handlers.set(event, [...existing, handler]);
  }

  async emit(event: HookEvent, ...args: any[]): Promise<HookResult | void> {
    const handlers = this.handlers.get(event) || [];
    let result: HookResult | void;

    for (const handler of handlers) {
      result = await handler(...args);
      if (result?.stop) break; // Stop propagation
    }

    return result;
  }
}
