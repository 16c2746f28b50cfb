(variable_declaration
  . (identifier) @alias
  (builtin_function
    (builtin_identifier) @_import
    (arguments . (string (string_content) @module)))
  (#eq? @_import "@import")) @import

(variable_declaration
  . (identifier) @alias
  (field_expression
    object: (builtin_function
      (builtin_identifier) @_import
      (arguments . (string (string_content) @module)))
    member: (identifier) @name)
  (#eq? @_import "@import")) @import
