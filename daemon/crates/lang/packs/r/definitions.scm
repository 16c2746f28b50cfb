; R6 classes, which are named by their variables.
(binary_operator
  lhs: (identifier) @name
  rhs: (call
    function: (_) @_class
    arguments: (arguments) @body)
  (#any-of? @_class "R6Class" "R6::R6Class")) @definition.class

(call
  function: (_) @_class
  arguments: (arguments
    (argument
      name: (identifier) @_inherit
      value: [
        (identifier) @base
        (namespace_operator rhs: (identifier) @base)
      ]))
  (#any-of? @_class "R6Class" "R6::R6Class")
  (#eq? @_inherit "inherit"))

; S4 and reference classes, which are named by a text. A variable of mostly the same name holds the constructor.
(binary_operator
  rhs: (call
    function: (_) @_class
    arguments: (arguments . (argument value: (string content: (string_content) @name))))
  (#any-of? @_class
    "setClass" "setClassUnion" "setRefClass" "methods::setClass" "methods::setClassUnion" "methods::setRefClass"))
@definition.class

(call
  function: (_) @_class
  arguments: (arguments . (argument value: (string content: (string_content) @name)))
  (#any-of? @_class
    "setClass" "setClassUnion" "setRefClass" "methods::setClass" "methods::setClassUnion" "methods::setRefClass"))
@definition.class

(call
  function: (_) @_class
  arguments: (arguments
    (argument
      name: (identifier) @_contains
      value: [
        (string content: (string_content) @base)
        (call arguments: (arguments (argument value: (string content: (string_content) @base))))
      ]))
  (#any-of? @_class "setClass" "setRefClass" "methods::setClass" "methods::setRefClass")
  (#eq? @_contains "contains"))

; Generic functions.
(call
  function: (_) @_set
  arguments: (arguments
    .
    (argument value: (string content: (string_content) @name))
    (argument value: (function_definition body: (_) @body)))
  (#any-of? @_set "setGeneric" "methods::setGeneric")) @definition.function

(call
  function: (_) @_set
  arguments: (arguments . (argument value: (string content: (string_content) @name)))
  (#any-of? @_set "setGeneric" "methods::setGeneric")) @definition.function

; Named `area.Circle`, as in S3. If all methods were called `area`, there would soon be too many of the name to find the
; generic function.
((call
   function: (_) @_set
   arguments: (arguments
     .
     (argument value: (string content: (string_content) @owner))
     .
     (comma)
     .
     (argument
       value: [
         (string content: (string_content) @name)
         (call arguments: (arguments . (argument value: (string content: (string_content) @name))))
       ])
     (argument value: (function_definition body: (_) @body)))
   (#any-of? @_set "setMethod" "setReplaceMethod" "methods::setMethod" "methods::setReplaceMethod"))
 @definition.method
 (#set! owner parent))

; Methods that a class gets later: `Stack$set("public", "size", function() …)`, `Account$methods(size = function() …)`.
((call
   function: (extract_operator
     lhs: (identifier) @owner
     rhs: (identifier) @_set)
   arguments: (arguments
     .
     (argument value: (string))
     .
     (comma)
     .
     (argument value: (string content: (string_content) @name))
     (argument value: (function_definition body: (_) @body)))
   (#eq? @_set "set")) @definition.method
 (#set! owner parent))

((call
   function: (extract_operator
     lhs: (identifier) @owner
     rhs: (identifier) @_methods)
   arguments: (arguments
     (argument
       name: (identifier) @name
       value: (function_definition body: (_) @body)) @definition.method)
   (#eq? @_methods "methods"))
 (#set! owner parent))

; Methods of R6 and reference classes, and functions in other lists.
((argument
   name: (identifier) @_private
   value: (call
     function: (identifier) @_list
     arguments: (arguments
       (argument
         name: [(identifier) (string)] @name
         value: (function_definition body: (_) @body)) @definition.method))
   (#eq? @_private "private")
   (#eq? @_list "list"))
 (#set! visibility private))

(argument
  name: (identifier) @_active
  value: (call
    function: (identifier) @_list
    arguments: (arguments
      (argument
        name: [(identifier) (string)] @name
        value: (function_definition body: (_) @body)) @definition.property))
  (#eq? @_active "active")
  (#eq? @_list "list"))

(call
  function: (identifier) @_list
  arguments: (arguments
    (argument
      name: [(identifier) (string)] @name
      value: (function_definition body: (_) @body)) @definition.method)
  (#eq? @_list "list"))

; Fields of R6 classes, with their values.
((call
   function: (_) @_class
   arguments: (arguments
     (argument
       name: (identifier) @_private
       value: (call
         arguments: (arguments
           (argument
             name: (identifier) @name
             value: (_) @value) @definition.field))))
   (#any-of? @_class "R6Class" "R6::R6Class")
   (#eq? @_private "private"))
 (#set! visibility private))

(call
  function: (_) @_class
  arguments: (arguments
    (argument
      name: (identifier) @_public
      value: (call
        arguments: (arguments
          (argument
            name: (identifier) @name
            value: (_) @value) @definition.field))))
  (#any-of? @_class "R6Class" "R6::R6Class")
  (#eq? @_public "public"))

; Slots and fields with their types.
(call
  function: (_) @_class
  arguments: (arguments
    (argument
      name: (identifier) @_slots
      value: (call
        arguments: (arguments
          (argument
            name: (identifier) @name
            value: (string content: (string_content) @of)) @definition.field))))
  (#any-of? @_class "setClass" "setRefClass" "methods::setClass" "methods::setRefClass")
  (#any-of? @_slots "slots" "representation" "fields"))

(call
  function: (_) @_class
  arguments: (arguments
    (argument
      !name
      value: (call
        function: (identifier) @_slots
        arguments: (arguments
          (argument
            name: (identifier) @name
            value: (string content: (string_content) @of)) @definition.field))))
  (#any-of? @_class "setClass" "methods::setClass")
  (#eq? @_slots "representation"))

; Tests. A title of one word is left out: it may be the name of a function, which it would hide.
((call
   function: (_) @_test
   arguments: (arguments
     .
     (argument value: (string content: (string_content) @name))
     .
     (comma)
     .
     (argument value: (braced_expression) @body))
   (#any-of? @_test "test_that" "testthat::test_that" "describe" "it")
   (#match? @name " [^.]*$")) @definition.function
 (#set! flag test)
 (#set! visibility private))

; S3 methods and other functions with a dot inside their names. A definition is called by the last part of its name. The
; owner keeps it apart from others of that name: only `print.list(…)` leads to it, and `list(…)` doesn't.
(binary_operator
  lhs: [(identifier) (string)] @name @owner
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)
  (#match? @name "^[`\"']?[.]*[^.`\"'].*[.][^.`\"']+[`\"']?$")) @definition.method

(binary_operator
  lhs: [(identifier) (string)] @name
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)
  (#not-match? @name "[.][`\"']?$")) @definition.function

; `slow <- memoise(function(x) …)`.
(program
  (binary_operator
    lhs: (identifier) @name
    operator: ["<-" "="]
    rhs: (call arguments: (arguments . (argument value: (function_definition body: (_) @body)) .))
    (#not-match? @name "[.]")) @definition.function)

(program
  (binary_operator
    lhs: (identifier) @name
    operator: ["<-" "="]
    rhs: (_) @value
    (#match? @name "^[A-Z][A-Z0-9_.]+$")) @definition.constant)

(program
  (binary_operator
    lhs: (identifier) @name
    operator: ["<-" "="]
    rhs: (_) @value) @definition.variable)

(program
  (binary_operator
    lhs: (_) @value
    operator: "->"
    rhs: (identifier) @name) @definition.variable)

; Parameters of functions that are definitions. Those of others are locals of the function around.
(binary_operator
  lhs: [(identifier) (string)]
  operator: ["<-" "=" "<<-"]
  rhs: (function_definition
    parameters: (parameters
      (parameter
        name: (identifier) @name
        default: (_)? @default) @parameter)))

((binary_operator
   lhs: [(identifier) (string)]
   operator: ["<-" "=" "<<-"]
   rhs: (function_definition
     parameters: (parameters (parameter name: (dots)) @parameter)))
 (#set! parameter rest))

(program
  (binary_operator
    lhs: (identifier) @_name
    rhs: (call
      arguments: (arguments
        .
        (argument
          value: (function_definition
            parameters: (parameters
              (parameter
                name: (identifier) @name
                default: (_)? @default) @parameter)))
        .))
    (#not-match? @_name "[.]")))

((program
   (binary_operator
     lhs: (identifier) @_name
     rhs: (call
       arguments: (arguments
         .
         (argument
           value: (function_definition
             parameters: (parameters (parameter name: (dots)) @parameter)))
         .))
     (#not-match? @_name "[.]")))
 (#set! parameter rest))

(call
  function: [
    (identifier) @_set
    (extract_operator rhs: (identifier) @_set)
    (namespace_operator rhs: (identifier) @_set)
  ]
  arguments: (arguments
    (argument
      value: (function_definition
        parameters: (parameters
          (parameter
            name: (identifier) @name
            default: (_)? @default) @parameter))))
  (#any-of? @_set "list" "methods" "set" "setGeneric" "setMethod" "setReplaceMethod"))

((call
   function: [
     (identifier) @_set
     (extract_operator rhs: (identifier) @_set)
     (namespace_operator rhs: (identifier) @_set)
   ]
   arguments: (arguments
     (argument
       value: (function_definition
         parameters: (parameters (parameter name: (dots)) @parameter))))
   (#any-of? @_set "list" "methods" "set" "setGeneric" "setMethod" "setReplaceMethod"))
 (#set! parameter rest))

(parameter name: (identifier) @name) @local

; `names <- names(x)`: calls of `names` still mean the function, so the variable is not bound.
(binary_operator
  lhs: (identifier) @name
  operator: ["<-" "="]
  rhs: (call function: (identifier) @_function)
  (#eq? @name @_function)) @reference.value

(binary_operator
  lhs: (identifier) @name
  operator: ["<-" "="]
  rhs: (_) @value) @local

(binary_operator
  lhs: (_) @value
  operator: "->"
  rhs: (identifier) @name) @local

(for_statement variable: (identifier) @name) @local
