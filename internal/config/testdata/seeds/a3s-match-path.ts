// Match all Rust files
const matcher = { path_pattern: "*.rs" };

// Match files in src directory
const matcher = { path_pattern: "src/**/*.ts" };
