(call_expression
  (simple_identifier) @name
  (call_suffix (value_arguments) @arguments)) @reference.call

(call_expression
  (simple_identifier) @name
  (call_suffix) @arguments) @reference.call

(call_expression
  (navigation_expression
    target: (_) @receiver
    suffix: (navigation_suffix suffix: (simple_identifier) @name))
  (call_suffix (value_arguments) @arguments)) @reference.method

(call_expression
  (navigation_expression
    target: (_) @receiver
    suffix: (navigation_suffix suffix: (simple_identifier) @name))
  (call_suffix) @arguments) @reference.method

(navigation_expression
  target: (_) @receiver
  suffix: (navigation_suffix suffix: (simple_identifier) @name)) @reference.attr

(constructor_expression
  constructed_type: (user_type) @name) @reference.construct

(user_type) @reference.type

(value_argument value: (simple_identifier) @reference.value)

(attribute (user_type) @reference.decorator)
