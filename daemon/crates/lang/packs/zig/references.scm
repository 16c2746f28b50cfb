(call_expression
  function: (identifier) @name) @reference.call @arguments

(call_expression
  function: (field_expression
    object: (_) @receiver
    member: (identifier) @name)) @reference.method @arguments

(struct_initializer . (identifier) @name) @reference.construct

(struct_initializer
  . (field_expression
    object: (_) @receiver
    member: (identifier) @name)) @reference.construct

(field_expression
  object: (_) @receiver
  member: (identifier) @name) @reference.attr

(parameter type: (identifier) @reference.type)

(container_field type: (identifier) @reference.type)

(function_declaration type: (identifier) @reference.type)

(pointer_type (identifier) @reference.type)

(nullable_type (identifier) @reference.type)

(error_union_type ok: (identifier) @reference.type)

(slice_type (identifier) @reference.type)

(call_expression (identifier) @reference.value)
