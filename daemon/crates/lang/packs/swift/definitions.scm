(class_declaration
  declaration_kind: "class"
  name: (type_identifier) @name
  body: (_) @body) @definition.class

(class_declaration
  declaration_kind: "actor"
  name: (type_identifier) @name
  body: (_) @body) @definition.class

(class_declaration
  declaration_kind: "struct"
  name: (type_identifier) @name
  body: (_) @body) @definition.struct

(class_declaration
  declaration_kind: "enum"
  name: (type_identifier) @name
  body: (_) @body) @definition.enum

(class_declaration
  declaration_kind: "extension"
  name: (_) @owner
  body: (_) @body) @definition.impl

(protocol_declaration
  name: (type_identifier) @name
  body: (_) @body) @definition.interface

(typealias_declaration
  name: (type_identifier) @name) @definition.type

(enum_entry
  name: (simple_identifier) @name @definition.enum_member)

(function_declaration
  name: (simple_identifier) @name
  body: (_)? @body) @definition.function

((protocol_function_declaration
   name: (simple_identifier) @name) @definition.method
 (#set! flag abstract))

((init_declaration
   body: (_)? @body) @definition.constructor
 (#set! name init))

((deinit_declaration
   body: (_)? @body) @definition.method
 (#set! name deinit))

((subscript_declaration) @definition.method
 (#set! name subscript))

(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  (type_annotation (_) @of)?
  value: (_)? @value) @definition.variable

(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  (type_annotation (_) @of)?) @definition.field

(function_declaration
  (parameter
    name: (simple_identifier) @name
    name: (_) @of) @parameter
  .
  default_value: (_) @default)

(init_declaration
  (parameter
    name: (simple_identifier) @name
    name: (_) @of) @parameter
  .
  default_value: (_) @default)

(parameter
  name: (simple_identifier) @name
  name: (_) @of) @parameter

(function_declaration
  name: [(user_type) (optional_type) (array_type)] @returns)

(protocol_function_declaration
  name: [(user_type) (optional_type) (array_type)] @returns)

(inheritance_specifier
  inherits_from: (user_type) @base)

(if_statement
  bound_identifier: (simple_identifier) @name @local)

(guard_statement
  bound_identifier: (simple_identifier) @name @local)

(for_statement
  item: (pattern bound_identifier: (simple_identifier) @name @local))

(lambda_parameter
  name: (simple_identifier) @name) @local
