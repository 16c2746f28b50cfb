(call_expression
  function: (identifier) @name
  arguments: (_) @arguments) @reference.call

((call_expression
   function: (member_expression
     object: "this"
     property: (identifier) @name)
   arguments: (_) @arguments) @reference.method
 (#set! receiver self))

((call_expression
   function: (member_expression
     object: "super"
     property: (identifier) @name)
   arguments: (_) @arguments) @reference.method
 (#set! receiver base))

(call_expression
  function: [
    (member_expression
      object: (_) @receiver
      property: (identifier) @name)
    (null_aware_member_expression
      object: (_) @receiver
      property: (identifier) @name)
  ]
  arguments: (_) @arguments) @reference.method

(cascade
  . (_) @receiver
  (cascade_section
    (cascade_call_expression
      property: (identifier) @name
      arguments: (_) @arguments) @reference.method))

(new_expression
  type: (type . (type_identifier) @name .)
  arguments: (_) @arguments) @reference.construct

(const_object_expression
  type: (type . (type_identifier) @name .)
  arguments: (_) @arguments) @reference.construct

(member_expression
  object: (_) @receiver
  property: (identifier) @name) @reference.attr

(type . (type_identifier) @name @reference.type)

(arguments (identifier) @reference.value)

(annotation name: (identifier) @reference.decorator)
