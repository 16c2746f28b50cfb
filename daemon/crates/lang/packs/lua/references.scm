(function_call
  name: (identifier) @name
  arguments: (_) @arguments) @reference.call

(function_call
  name: (dot_index_expression
    table: (_) @receiver
    field: (identifier) @name)
  arguments: (_) @arguments) @reference.method

(function_call
  name: (method_index_expression
    table: (_) @receiver
    method: (identifier) @name)
  arguments: (_) @arguments) @reference.method

(dot_index_expression
  table: (_) @receiver
  field: (identifier) @name) @reference.attr

(expression_list (identifier) @reference.value)

(arguments (identifier) @reference.value)

(field value: (identifier) @reference.value)
