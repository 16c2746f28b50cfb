(package (full_ident) @package)

(message
  (message_name) @name
  (message_body) @body) @definition.struct

(enum
  (enum_name) @name
  (enum_body) @body) @definition.enum

(enum_field . (identifier) @name) @definition.enum_member

(field
  (type) @of
  .
  (identifier) @name) @definition.field

(map_field
  (key_type)
  (type) @of
  .
  (identifier) @name) @definition.field

(oneof_field
  (type) @of
  .
  (identifier) @name) @definition.field

(service
  (service_name) @name) @definition.interface

((rpc
   (rpc_name) @name) @definition.method
 (#set! flag abstract))

(rpc
  (message_or_enum_type)
  (message_or_enum_type) @returns)
