(class_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.class

(mixin_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.class

(enum_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.enum

(enum_entry name: (identifier) @name) @definition.enum_member

(extension_declaration
  name: (identifier) @name
  body: (_)? @body) @definition.class

(type_alias (type_identifier) @name) @definition.type

(function_declaration
  signature: (function_signature name: (identifier) @name)
  body: (_)? @body) @definition.function

(getter_declaration
  signature: (getter_signature name: (identifier) @name)
  body: (_)? @body) @definition.property

(method_declaration
  signature: (method_signature (function_signature name: (identifier) @name))
  body: (_)? @body) @definition.method

(method_declaration
  signature: (method_signature (getter_signature name: (identifier) @name))
  body: (_)? @body) @definition.property

(method_declaration
  signature: (method_signature (setter_signature name: (identifier) @name))
  body: (_)? @body) @definition.property

(method_declaration
  signature: (method_signature (constructor_signature name: (identifier) name: (identifier) @name))
  body: (_)? @body) @definition.constructor

(method_declaration
  signature: (method_signature (constructor_signature name: (identifier) @name))
  body: (_)? @body) @definition.constructor

(method_declaration
  signature: (method_signature (factory_constructor_signature name: (identifier) name: (identifier) @name))
  body: (_)? @body) @definition.constructor

(method_declaration
  signature: (method_signature (factory_constructor_signature name: (identifier) @name))
  body: (_)? @body) @definition.constructor

(method_declaration
  signature: (method_signature (operator_signature operator: (_) @name))
  body: (_)? @body) @definition.method

(declaration (constructor_signature name: (identifier) name: (identifier) @name)) @definition.constructor

(declaration (constructor_signature name: (identifier) @name)) @definition.constructor

(declaration (constant_constructor_signature name: (identifier) name: (identifier) @name)) @definition.constructor

(declaration (constant_constructor_signature name: (identifier) @name)) @definition.constructor

((declaration (function_signature name: (identifier) @name)) @definition.method
 (#set! flag abstract))

((declaration (getter_signature name: (identifier) @name)) @definition.property
 (#set! flag abstract))

(declaration
  (type)? @of
  (initialized_identifier_list
    (initialized_identifier
      name: (identifier) @name
      value: (_)? @value) @definition.field))

(declaration
  (type)? @of
  (static_final_declaration_list
    (static_final_declaration
      name: (identifier) @name
      value: (_)? @value) @definition.field))

(top_level_variable_declaration
  (type)? @of
  (initialized_identifier_list
    (initialized_identifier
      name: (identifier) @name
      value: (_)? @value) @definition.variable))

(top_level_variable_declaration
  (type)? @of
  (static_final_declaration_list
    (static_final_declaration
      name: (identifier) @name
      value: (_)? @value) @definition.constant))

(local_variable_declaration
  (initialized_variable_declaration
    (type)? @of
    name: (identifier) @name
    value: (_)? @value) @local)

(for_statement name: (identifier) @name @local)

(function_expression
  parameters: (formal_parameter_list (formal_parameter . (identifier) @name .) @local))

(function_expression
  parameters: (formal_parameter_list
    (formal_parameter
      (type)? @of
      name: (identifier) @name) @local))

(optional_formal_parameters
  (formal_parameter
    (type)? @of
    name: (identifier) @name @default) @parameter)

(formal_parameter
  (type)? @of
  name: (identifier) @name) @parameter

(formal_parameter
  (field_formal_parameter name: (identifier) @name)) @parameter

(formal_parameter . (identifier) @name .) @parameter

(function_signature return_type: (type) @returns)

(getter_signature return_type: (type) @returns)

(superclass type: (type) @base)

(mixins (type) @base)

(interfaces (type) @implements)
