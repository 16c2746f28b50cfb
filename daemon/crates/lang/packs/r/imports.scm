((call
   function: (identifier) @_library
   arguments: (arguments . (argument value: [(identifier) (string)] @module))
   (#any-of? @_library "library" "require")) @import
 (#set! import wildcard))

; These load a package without making its names visible.
((call
   function: (identifier) @_load
   arguments: (arguments . (argument value: [(identifier) (string)] @module))
   (#any-of? @_load "requireNamespace" "loadNamespace")) @import
 (#set! import side_effect))

((call
   function: (identifier) @_source
   arguments: (arguments . (argument value: (string) @module))
   (#any-of? @_source "source" "sys.source")) @import
 (#set! import wildcard))
