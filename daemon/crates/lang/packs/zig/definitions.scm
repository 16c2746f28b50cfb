(variable_declaration
  . (identifier) @name
  (struct_declaration) @body) @definition.struct

(variable_declaration
  . (identifier) @name
  (enum_declaration) @body) @definition.enum

(variable_declaration
  . (identifier) @name
  (union_declaration) @body) @definition.union

(variable_declaration
  . (identifier) @name
  (opaque_declaration) @body) @definition.struct

(variable_declaration
  . (identifier) @name
  (error_set_declaration) @body) @definition.enum

(error_set_declaration (identifier) @name @definition.enum_member)

(enum_declaration (container_field name: (identifier) @name) @definition.enum_member)

(container_field
  name: (identifier) @name
  type: (_)? @of) @definition.field

(function_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.function

((variable_declaration
   . (identifier) @name
   (builtin_function (builtin_identifier) @_this) @of)  @definition.type
 (#eq? @_this "@This"))

(variable_declaration
  "const"
  . (identifier) @name
  type: (_) @of) @definition.constant

(variable_declaration
  "const"
  . (identifier) @name
  (_) @value .) @definition.constant

(variable_declaration
  "var"
  . (identifier) @name
  type: (_) @of) @definition.variable

(variable_declaration
  "var"
  . (identifier) @name
  (_) @value .) @definition.variable

(variable_declaration
  . (identifier) @name) @definition.variable

(parameter
  name: (identifier) @name
  type: (_)? @of) @parameter

(function_declaration type: (_) @returns)

(payload (identifier) @name @local)

((test_declaration
   (string (string_content) @name)
   (block) @body) @definition.function
 (#set! flag test)
 (#set! visibility private))
