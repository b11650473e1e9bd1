// node:perf_hooks.
export default {
  performance, constants: {}, PerformanceObserver: class PerformanceObserver { observe() {} disconnect() {} },
  monitorEventLoopDelay: () => ({ enable() {}, disable() {}, min: 0, max: 0, mean: 0, percentile: () => 0 }),
};
