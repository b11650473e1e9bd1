engine.register_handler("my-hook", {
  handle: (event) => {
    try {
      // Your logic
      return { action: "Continue" };
    } catch (error) {
      console.error("Hook error:", error);
      return { action: "Continue" }; // Don't block on errors
    }
  }
});
