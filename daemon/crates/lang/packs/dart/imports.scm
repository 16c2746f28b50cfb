(library_import
  (import_specification
    uri: (_) @module
    alias: (identifier) @alias)) @import

((library_import
   (import_specification
     uri: (_) @module
     !alias)) @import
 (#set! import wildcard))

((library_export uri: (_) @module) @import
 (#set! import wildcard)
 (#set! reexport true))

((part_directive uri: (_) @module) @import
 (#set! import wildcard))
