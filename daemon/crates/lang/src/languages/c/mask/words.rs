//! The classes of words, by their text alone.

/// The class of a word at the start of a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Storage, qualifiers: any number of them.
    Keyword,
    /// A built-in type of the language.
    Primitive,
    /// `struct` and the like: the next word is its name.
    Tag,
    /// An attribute, which may take parentheses.
    Attribute,
    /// Starts something other than a plain declaration.
    Special,
    /// A name.
    Name,
}

pub(super) fn classify_word(text: &[u8]) -> Word {
    match text {
        b"static" | b"extern" | b"inline" | b"const" | b"volatile" | b"register" | b"typedef"
        | b"restrict" | b"__inline" | b"__inline__" | b"__restrict" | b"__restrict__" | b"_Noreturn"
        | b"constexpr" | b"virtual" | b"explicit" | b"mutable" | b"thread_local" | b"_Thread_local"
        | b"__extension__" | b"consteval" | b"constinit" | b"friend" | b"typename" | b"_Atomic"
        | b"__forceinline" | b"__thread" => Word::Keyword,
        b"void" | b"int" | b"char" | b"short" | b"long" | b"unsigned" | b"signed" | b"float" | b"double"
        | b"bool" | b"_Bool" | b"auto" | b"size_t" | b"ssize_t" | b"int8_t" | b"int16_t" | b"int32_t"
        | b"int64_t" | b"uint8_t" | b"uint16_t" | b"uint32_t" | b"uint64_t" | b"ptrdiff_t" | b"intptr_t"
        | b"uintptr_t" | b"wchar_t" | b"char8_t" | b"char16_t" | b"char32_t" => Word::Primitive,
        b"struct" | b"union" | b"enum" | b"class" => Word::Tag,
        b"__attribute__" | b"__attribute" | b"__declspec" | b"alignas" | b"_Alignas" | b"__asm__"
        | b"asm" | b"__asm" => Word::Attribute,
        b"using" | b"namespace" | b"template" | b"operator" | b"public" | b"private" | b"protected"
        | b"if" | b"else" | b"for" | b"while" | b"do" | b"switch" | b"case" | b"return" | b"goto"
        | b"break" | b"static_assert" | b"_Static_assert" | b"concept" | b"decltype" | b"requires"
        | b"export" | b"import" | b"module" | b"new" | b"delete" | b"default" => Word::Special,
        _ => Word::Name,
    }
}

/// Whether `text` is written like a macro: without small letters.
pub(in crate::languages::c) fn is_upper_case(text: &[u8]) -> bool {
    text.len() > 1 && text.iter().any(u8::is_ascii_uppercase) && !text.iter().any(u8::is_ascii_lowercase)
}
