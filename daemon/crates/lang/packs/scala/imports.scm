((import_declaration
   path: [(identifier) "."]+ @module .) @import
 (#set! import last))

((import_declaration
   path: [(identifier) "."]+ @module
   (namespace_wildcard)) @import
 (#set! import wildcard))

(import_declaration
  path: [(identifier) "."]+ @module
  (namespace_selectors (identifier) @name)) @import

(import_declaration
  path: [(identifier) "."]+ @module
  (namespace_selectors
    (arrow_renamed_identifier
      name: (identifier) @name
      alias: (identifier) @alias))) @import

((import_declaration
   path: [(identifier) "."]+ @module
   (namespace_selectors (namespace_wildcard))) @import
 (#set! import wildcard))
