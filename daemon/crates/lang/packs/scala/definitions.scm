(package_clause name: (package_identifier) @package)

(trait_definition
  name: (identifier) @name
  body: (_)? @body) @definition.trait

(class_definition
  name: (identifier) @name
  body: (_)? @body) @definition.class

(object_definition
  name: (identifier) @name
  body: (_)? @body) @definition.class

(enum_definition
  name: (identifier) @name
  body: (_)? @body) @definition.enum

(simple_enum_case name: (identifier) @name) @definition.enum_member

(full_enum_case name: (identifier) @name) @definition.enum_member

(type_definition name: (type_identifier) @name) @definition.type

(function_definition
  name: (_) @name
  body: (_)? @body) @definition.function

((function_declaration
   name: (_) @name) @definition.function
 (#set! flag abstract))

(val_definition
  pattern: (identifier) @name
  type: (_)? @of
  value: (_)? @value) @definition.variable

(var_definition
  pattern: (identifier) @name
  type: (_)? @of
  value: (_)? @value) @definition.variable

(val_declaration
  name: (identifier) @name
  type: (_)? @of) @definition.variable

(var_declaration
  name: (identifier) @name
  type: (_)? @of) @definition.variable

(given_definition
  name: (identifier) @name) @definition.variable

(class_parameter
  name: (identifier) @name
  type: (_)? @of
  default_value: (_)? @default) @definition.field

(parameter
  name: (identifier) @name
  type: (_)? @of
  default_value: (_)? @default) @parameter

(function_definition return_type: (_) @returns)

(function_declaration return_type: (_) @returns)

(extends_clause (type_identifier) @base)

(extends_clause (generic_type) @base)

(extends_clause (stable_type_identifier) @base)

(enumerator . (identifier) @name @local)

(lambda_expression
  parameters: (identifier) @name @local)

(binding name: (identifier) @name) @local

(case_class_pattern pattern: (identifier) @name @local)
