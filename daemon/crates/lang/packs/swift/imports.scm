(import_declaration
  (identifier) @module) @import
