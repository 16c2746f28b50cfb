//! Values of types from outside: the return types of their methods, by the names that standard libraries use.

use std::rc::Rc;

use sdl_model::lang::{Library, Types};

use super::Part;
use crate::values::{Shape, ShapeKind, Ty};
use crate::words::words;

impl Shape {
    pub(crate) fn arg(&self, at: usize) -> Ty {
        self.args.get(at).cloned().unwrap_or(Ty::External(None))
    }

    /// An element by iteration.
    pub(crate) fn element(&self, types: &Types) -> Ty {
        match self.kind {
            ShapeKind::Sequence | ShapeKind::Wrapper => self.arg(0),
            ShapeKind::Map if types.maps_iterate_keys => self.arg(0),
            ShapeKind::Map => Self::ty(ShapeKind::Tuple, self.args.clone()),
            ShapeKind::Tuple => Ty::union(self.args.iter().cloned()),
            ShapeKind::Entry | ShapeKind::Other => Ty::Unknown,
        }
    }

    /// An element by subscript.
    pub(crate) fn index(&self) -> Ty {
        match self.kind {
            ShapeKind::Map => self.arg(1),
            ShapeKind::Sequence | ShapeKind::Wrapper => self.arg(0),
            ShapeKind::Tuple => Ty::union(self.args.iter().cloned()),
            ShapeKind::Entry | ShapeKind::Other => Ty::Unknown,
        }
    }

    /// Element `at` by destructuring.
    pub(crate) fn item(&self, at: usize) -> Ty {
        match self.kind {
            ShapeKind::Tuple => self.arg(at),
            ShapeKind::Sequence => self.arg(0),
            // The error of a result.
            ShapeKind::Wrapper if at == 1 => self.arg(1),
            _ => Ty::Unknown,
        }
    }

    /// Whichever part.
    pub(crate) fn part(&self, part: Part, types: &Types) -> Ty {
        match part {
            Part::Index => self.index(),
            Part::Iter => self.element(types),
            Part::Item(at) => self.item(at),
        }
    }

    /// The value within.
    pub(crate) fn unwrap(&self) -> Option<Ty> {
        (self.kind == ShapeKind::Wrapper).then(|| self.arg(0))
    }

    /// The target of the iterator that the method `name` returns. An iterator is used like a pointer to its element.
    fn iterator(&self, name: &str) -> Option<Ty> {
        let is_iterator = matches!(
            name,
            "begin"
                | "cbegin"
                | "rbegin"
                | "crbegin"
                | "end"
                | "cend"
                | "rend"
                | "crend"
                | "find"
                | "lower_bound"
                | "upper_bound"
                | "erase"
        );
        match (self.kind, name) {
            (ShapeKind::Map, _) if is_iterator => Some(Self::ty(ShapeKind::Tuple, self.args.clone())),
            (ShapeKind::Map, "at") => Some(self.arg(1)),
            (ShapeKind::Sequence, "top" | "data" | "emplace_back" | "emplace_front") => Some(self.arg(0)),
            (ShapeKind::Sequence, _) if is_iterator => Some(self.arg(0)),
            _ => None,
        }
    }

    /// The return type of the method `name`.
    pub(crate) fn method(&self, name: &str, library: &Library) -> Ty {
        if library.pointer_iterators
            && let Some(found) = self.iterator(name)
        {
            return found;
        }
        match self.kind {
            ShapeKind::Sequence if GIVES_ELEMENT.contains(name) => {
                let element = self.arg(0);
                if library.optional_lookups { Self::ty(ShapeKind::Wrapper, [element]) } else { element }
            }
            // The value that a context manager of the library holds: `f` in `with open(p) as f`.
            ShapeKind::Other if matches!(name, "__enter__" | "__aenter__") => self.arg(0),
            ShapeKind::Sequence if name == "enumerate" => {
                Self::ty(ShapeKind::Sequence, [Self::ty(ShapeKind::Tuple, [Ty::External(None), self.arg(0)])])
            }
            ShapeKind::Sequence if KEEPS_SEQUENCE.contains(name) => Ty::External(Some(Rc::new(self.clone()))),
            ShapeKind::Map => match name {
                "get" | "get_mut" | "remove" | "insert" | "swap_remove" | "shift_remove"
                    if library.optional_lookups =>
                {
                    Self::ty(ShapeKind::Wrapper, [self.arg(1)])
                }
                "get_key_value" | "get_key_value_mut" | "first_key_value" | "last_key_value"
                | "pop_first" | "pop_last" | "remove_entry" | "get_index" | "get_index_mut" | "first"
                | "last"
                    if library.optional_lookups =>
                {
                    let pair = Self::ty(ShapeKind::Tuple, self.args.clone());
                    Self::ty(ShapeKind::Wrapper, [pair])
                }
                "get_full" | "get_full_mut" | "get_full_mut2" | "shift_remove_full" | "swap_remove_full"
                    if library.optional_lookups =>
                {
                    let all = Self::ty(ShapeKind::Tuple, [Ty::External(None), self.arg(0), self.arg(1)]);
                    Self::ty(ShapeKind::Wrapper, [all])
                }
                "into_iter" | "range" | "range_mut" | "iter_mut2" if library.optional_lookups => {
                    Self::ty(ShapeKind::Sequence, [Self::ty(ShapeKind::Tuple, self.args.clone())])
                }
                "into_keys" => Self::ty(ShapeKind::Sequence, [self.arg(0)]),
                "get" | "pop" | "setdefault" | "getOrDefault" | "computeIfAbsent" | "put" | "remove"
                | "or_insert_with" | "or_default" | "or_insert" => self.arg(1),
                "values" | "values_mut" | "into_values" => Self::ty(ShapeKind::Sequence, [self.arg(1)]),
                "keys" | "keySet" => Self::ty(ShapeKind::Sequence, [self.arg(0)]),
                "items" | "entries" | "entrySet" | "iter" | "iter_mut" | "drain" | "popitem" => {
                    Self::ty(ShapeKind::Sequence, [Self::ty(ShapeKind::Tuple, self.args.clone())])
                }
                "entry" if library.optional_lookups => Self::ty(ShapeKind::Entry, self.args.clone()),
                "copy" | "clone" | "entry" => Ty::External(Some(Rc::new(self.clone()))),
                _ => Ty::External(None),
            },
            ShapeKind::Entry => match name {
                "get" | "get_mut" | "into_mut" | "insert" | "remove" | "swap_remove" | "shift_remove"
                | "or_insert" | "or_insert_with" | "or_insert_with_key" | "or_default" => self.arg(1),
                "key" | "into_key" => self.arg(0),
                "remove_entry" => Self::ty(ShapeKind::Tuple, self.args.clone()),
                "and_modify" | "insert_entry" => Ty::External(Some(Rc::new(self.clone()))),
                _ => Ty::External(None),
            },
            // An array literal has the methods of any array.
            ShapeKind::Tuple if GIVES_ELEMENT.contains(name) => Ty::union(self.args.iter().cloned()),
            ShapeKind::Tuple if KEEPS_SEQUENCE.contains(name) => {
                Self::ty(ShapeKind::Sequence, [Ty::union(self.args.iter().cloned())])
            }
            ShapeKind::Wrapper if TAKES_OUT.contains(name) => self.arg(0),
            ShapeKind::Wrapper if KEEPS_WRAPPER.contains(name) => Ty::External(Some(Rc::new(self.clone()))),
            ShapeKind::Wrapper if matches!(name, "iter" | "iter_mut" | "into_iter") => {
                Self::ty(ShapeKind::Sequence, [self.arg(0)])
            }
            _ => Ty::External(None),
        }
    }
}

/// Whether the method `name` returns a value of the same type, whatever type that is.
pub(crate) fn gives_copy(name: &str, library: &Library) -> bool {
    library.keeps_value.contains(&name)
        && matches!(
            name,
            "clone"
                | "to_owned"
                | "by_ref"
                | "borrow"
                | "borrow_mut"
                | "as_mut"
                | "as_ref"
                | "project"
                | "project_ref"
                | "deref"
                | "deref_mut"
                | "unwrap"
                | "expect"
                | "unwrap_or_else"
                | "unwrap_or_default"
                | "unwrap_unchecked"
                | "__enter__"
                | "__aenter__"
        )
}

words! {
    GIVES_ELEMENT = "\
        __enter__ __aenter__ pop popleft first last get get_mut next next_back shift find at peek front back first_mut last_mut \
        nth max min max_by min_by min_by_key max_by_key remove swap_remove pop_front pop_back poll recv findLast element_at \
        getFirst getLast single firstOrNull take_first";
    KEEPS_SEQUENCE = "\
        iter iter_mut into_iter filter slice concat copy reversed reverse rev sort sorted skip take chain \
        clone cloned copied drain as_slice as_mut_slice to_vec values by_ref peekable skip_while take_while \
        iterator stream toArray toReversed union intersection difference fuse inspect step_by splice as_ref \
        as_mut get_or_insert collect subList into_boxed_slice split_off";
    TAKES_OUT = "\
        unwrap expect unwrap_or unwrap_or_else unwrap_or_default lock borrow borrow_mut read write get load \
        get_mut into_inner orElse orElseThrow orElseGet result get_or_init get_or_insert_with force \
        unwrap_unchecked insert deref deref_mut upgrade try_lock join assume_init assume_init_ref \
        assume_init_mut assume_init_read";
    KEEPS_WRAPPER = "\
        as_ref as_mut clone cloned copied take ok or or_else filter ok_or ok_or_else map_err as_deref \
        as_deref_mut catch finally replace unwrap_or_clone inspect xor downgrade context with_context";
}
