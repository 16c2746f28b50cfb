(message_or_enum_type) @reference.type

(extend (full_ident) @reference.type)
