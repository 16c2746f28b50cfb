((binary_operator
   operator: "|>"
   right: (call
     target: (identifier) @name
     (arguments) @arguments) @reference.call)
 (#set! argument extra))

((binary_operator
   operator: "|>"
   right: (call
     target: (dot
       left: (alias) @receiver
       right: (identifier) @name)
     (arguments) @arguments) @reference.method)
 (#set! argument extra))

((binary_operator
   operator: "|>"
   right: (identifier) @name @reference.call)
 (#set! argument extra))

(call
  target: (dot
    left: (_) @receiver
    right: (identifier) @name)
  (arguments)? @arguments) @reference.method

(call
  target: (identifier) @name
  (arguments)? @arguments
  (#not-any-of? @name
    "def" "defp" "defdelegate" "defguard" "defguardp" "defmacro" "defmacrop" "defn" "defnp" "defmodule"
    "defprotocol" "defimpl" "defstruct" "defexception" "defoverridable" "alias" "case" "cond" "else" "for" "if"
    "import" "quote" "raise" "receive" "require" "reraise" "super" "throw" "try" "unless" "unquote"
    "unquote_splicing" "use" "with" "doc" "spec" "type")) @reference.call

(unary_operator
  operator: "&"
  operand: (binary_operator
    left: (identifier) @name
    operator: "/")) @reference.value

(struct (alias) @reference.type)
