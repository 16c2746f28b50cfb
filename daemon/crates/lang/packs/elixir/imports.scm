(call
  target: (identifier) @_alias
  (arguments
    .
    (alias) @module
    (keywords (pair key: (keyword) @_as value: (alias) @alias)))
  (#eq? @_alias "alias")
  (#match? @_as "^as:")) @import

(call
  target: (identifier) @_alias
  (arguments . (alias) @module .)
  (#any-of? @_alias "alias" "require")) @import

((call
   target: (identifier) @_alias
   (arguments . (alias) @module)
   (#any-of? @_alias "import" "use")) @import
 (#set! import wildcard))

(call
  target: (identifier) @_alias
  (arguments
    .
    (dot
      left: (alias) @module
      right: (tuple (alias) @name)))
  (#eq? @_alias "alias")) @import
