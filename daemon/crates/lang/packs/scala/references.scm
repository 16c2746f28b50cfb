(call_expression
  function: (identifier) @name
  arguments: (_) @arguments) @reference.call

(call_expression
  function: (field_expression
    value: (_) @receiver
    field: (identifier) @name)
  arguments: (_) @arguments) @reference.method

(call_expression
  function: (generic_function function: (identifier) @name)
  arguments: (_) @arguments) @reference.call

(call_expression
  function: (generic_function
    function: (field_expression
      value: (_) @receiver
      field: (identifier) @name))
  arguments: (_) @arguments) @reference.method

(instance_expression
  (type_identifier) @name
  arguments: (_) @arguments) @reference.construct

(instance_expression
  (generic_type type: (type_identifier) @name)
  arguments: (_) @arguments) @reference.construct

(field_expression
  value: (_) @receiver
  field: (identifier) @name) @reference.attr

(infix_expression
  left: (_) @receiver
  operator: (identifier) @name
  right: (_)) @reference.method

(type_identifier) @reference.type

(stable_type_identifier) @reference.type

(arguments (identifier) @reference.value)

(annotation name: (type_identifier) @reference.decorator)
