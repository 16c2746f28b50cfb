; A table that is filled later is what other languages call a class or a module.
((chunk
   (variable_declaration
     (assignment_statement
       (variable_list . name: (identifier) @name)
       (expression_list
         .
         value: [
           (table_constructor)
           (function_call
             name: (identifier) @_set
             (#eq? @_set "setmetatable"))
         ])))  @definition.class)
 (#set! visibility public))

(chunk
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (table_constructor))) @definition.class)

(function_declaration
  name: (identifier) @name
  body: (block)? @body) @definition.function

((function_declaration
   name: (dot_index_expression
     table: (_) @owner
     field: (identifier) @name)
   body: (block)? @body) @definition.function
 (#set! owner parent))

((function_declaration
   name: (method_index_expression
     table: (_) @owner
     method: (identifier) @name)
   body: (block)? @body) @definition.method
 (#set! owner parent))

(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list
      .
      value: (function_definition body: (block)? @body)))) @definition.function

((assignment_statement
   (variable_list
     .
     name: (dot_index_expression
       table: (_) @owner
       field: (identifier) @name))
   (expression_list
     .
     value: (function_definition body: (block)? @body))) @definition.function
 (#set! owner parent))

(table_constructor
  (field
    name: (identifier) @name
    value: (function_definition body: (block)? @body)) @definition.method)

(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (_) @value))) @definition.variable

; `local a, b = m.a, m.b`.
((variable_declaration
   (assignment_statement
     (variable_list . name: (identifier) . name: (identifier) @name @definition.variable)
     (expression_list . value: (_) . value: (_) @value)))
 (#set! visibility private))

((variable_declaration
   (assignment_statement
     (variable_list . name: (identifier) . name: (identifier) . name: (identifier) @name @definition.variable)
     (expression_list . value: (_) . value: (_) . value: (_) @value)))
 (#set! visibility private))

((variable_declaration
   (assignment_statement
     (variable_list . name: (identifier) . name: (identifier) . name: (identifier) . name: (identifier) @name @definition.variable)
     (expression_list . value: (_) . value: (_) . value: (_) . value: (_) @value)))
 (#set! visibility private))

((variable_declaration
   (assignment_statement
     (variable_list . name: (identifier) . name: (identifier) . name: (identifier) . name: (identifier) . name: (identifier) @name @definition.variable)
     (expression_list . value: (_) . value: (_) . value: (_) . value: (_) . value: (_) @value)))
 (#set! visibility private))

((variable_declaration
   (assignment_statement
     (variable_list . name: (identifier) . name: (identifier) . name: (identifier) . name: (identifier) . name: (identifier) . name: (identifier) @name @definition.variable)
     (expression_list . value: (_) . value: (_) . value: (_) . value: (_) . value: (_) . value: (_) @value)))
 (#set! visibility private))

(function_declaration
  parameters: (parameters (identifier) @parameter @name))

(function_definition
  parameters: (parameters (identifier) @parameter @name))

((parameters (vararg_expression) @parameter)
 (#set! parameter rest))

(for_generic_clause
  (variable_list (identifier) @name @local))

(for_numeric_clause
  name: (identifier) @name @local)

; What a module returns is what `require` gives.
(chunk
  (return_statement
    (expression_list . (identifier) @export .)))
