(call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block) @body
  (#any-of? @_def "defmodule" "defprotocol")) @definition.namespace

(call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block) @body
  (#eq? @_def "defimpl")) @definition.namespace

((call
   target: (identifier) @_def
   (arguments . (call target: (identifier) @name))
   (do_block)? @body
   (#any-of? @_def "defp" "defmacrop" "defguardp")) @definition.function
 (#set! visibility private))

((call
   target: (identifier) @_def
   (arguments . (binary_operator left: (call target: (identifier) @name) operator: "when"))
   (do_block)? @body
   (#any-of? @_def "defp" "defmacrop" "defguardp")) @definition.function
 (#set! visibility private))

((call
   target: (identifier) @_def
   (arguments . (identifier) @name)
   (do_block)? @body
   (#any-of? @_def "defp" "defmacrop" "defguardp")) @definition.function
 (#set! visibility private))

(call
  target: (identifier) @_def
  (arguments . (call target: (identifier) @name))
  (do_block)? @body
  (#any-of? @_def "def" "defmacro" "defguard" "defdelegate" "defn")) @definition.function

(call
  target: (identifier) @_def
  (arguments . (binary_operator left: (call target: (identifier) @name) operator: "when"))
  (do_block)? @body
  (#any-of? @_def "def" "defmacro" "defguard" "defn")) @definition.function

(call
  target: (identifier) @_def
  (arguments . (identifier) @name)
  (do_block)? @body
  (#any-of? @_def "def" "defmacro" "defn")) @definition.function

(call
  target: (identifier) @_def
  (arguments . (call (arguments (binary_operator left: (identifier) @name operator: "\\\\" right: (_) @default) @parameter)))
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop"))

(call
  target: (identifier) @_def
  (arguments . (call (arguments (identifier) @name @parameter)))
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn"))

(call
  target: (identifier) @_def
  (arguments . (call (arguments [(map) (tuple) (list) (atom) (string) (integer) (nil) (boolean) (binary_operator)] @parameter)))
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defn"))

(call
  target: (identifier) @_def
  (arguments . (binary_operator left: (call (arguments (identifier) @name @parameter)) operator: "when"))
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defn"))

(call
  target: (identifier) @_def
  (arguments . (binary_operator left: (call (arguments (_) @parameter)) operator: "when"))
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defn"))

; What is written in the head of a definition is no call.
((unary_operator
   operator: "@"
   operand: (call
     target: (identifier) @_doc
     (arguments . (string) @value)
     (#eq? @_doc "moduledoc"))) @docs
 (#set! docs around))

(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_doc
    (arguments . (string) @value)
    (#any-of? @_doc "doc" "typedoc"))) @docs

(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_type
    (arguments . (binary_operator left: (_) @name operator: "::"))
    (#any-of? @_type "type" "typep" "opaque"))) @definition.type

(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_spec
    (#any-of? @_spec "spec" "callback" "moduledoc" "doc" "typedoc"))) @skip
