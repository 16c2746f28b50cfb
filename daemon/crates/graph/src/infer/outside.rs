//! Types from outside the repository, known by the names that standard libraries give them.

use super::{Shape, ShapeKind, Ty};
use crate::words::words;

/// The type from outside called `name`, with its arguments.
pub(crate) fn external_type(name: &str, args: Vec<Ty>) -> Ty {
    let first = |args: Vec<Ty>| args.into_iter().next().unwrap_or(Ty::Unknown);
    match name {
        "Optional" if args.len() == 1 => Ty::union(args.into_iter().chain([Ty::Null])),
        "Union" => Ty::union(args),
        "Type" | "type" => first(args).instance_of().map_or(Ty::External(None), Ty::Class),
        "Coroutine" => args.into_iter().next_back().unwrap_or(Ty::Unknown),
        "Tuple" | "tuple" | "pair" | "Pair" => Shape::ty(ShapeKind::Tuple, args),
        "OccupiedEntry" | "VacantEntry" if args.len() > 1 => Shape::ty(ShapeKind::Entry, args),
        _ if STANDS_FOR_VALUE.contains(name) => first(args),
        _ if WRAPPER.contains(name) => Shape::ty(ShapeKind::Wrapper, args),
        _ if MAP.contains(name) => Shape::ty(ShapeKind::Map, args),
        _ if SEQUENCE.contains(name) => Shape::ty(ShapeKind::Sequence, [first(args)]),
        _ => Shape::ty(ShapeKind::Other, args),
    }
}

words! {
    STANDS_FOR_VALUE = "\
        Annotated Arc AssertUnwindSafe Awaitable Box CachePadded ClassVar Cow DeepReadonly Final InitVar Lazy LazyCell LazyLock \
        ManuallyDrop MappedMutexGuard MappedRwLockReadGuard MappedRwLockWriteGuard MutexGuard NoInfer NonNull \
        NonNullable Nullable Omit OwnedMutexGuard OwnedRwLockReadGuard OwnedRwLockWriteGuard Partial PeekMut Pick Pin Rc \
        Readonly Ref RefMut Required Reverse RwLockReadGuard RwLockWriteGuard ScopeGuard shared_ptr unique_ptr weak_ptr";
    WRAPPER = "\
        AtomicReference Cell CompletableFuture ContextVar Deferred Future JoinHandle MaybeUninit Mutex \
        OnceCell OnceLock Option Optional Poll Promise PromiseLike ReentrantMutex RefCell Result RwLock Task \
        ThreadLocal UnsafeCell ValueTask Weak \
        WeakRef WeakReference";
    MAP = "\
        AHashMap BTreeMap ChainMap ConcurrentDictionary ConcurrentHashMap ConcurrentMap DefaultDict Dict \
        Dictionary EnumMap FnvHashMap FxHashMap HashMap IDictionary IndexMap ItemsView LinkedHashMap Map \
        Mapping MutableMap MutableMapping NavigableMap OrderedDict ReadonlyMap Record SortedMap TreeMap \
        WeakHashMap WeakKeyDictionary WeakMap WeakValueDictionary defaultdict dict map multimap unordered_map \
        unordered_multimap";
    SEQUENCE = "\
        AbstractSet Array ArrayDeque ArrayList ArrayVec AsyncGenerator AsyncIterable AsyncIterator BTreeSet \
        BinaryHeap BlockingQueue Chan Collection CopyOnWriteArrayList Deque Enumeration Flow FrozenSet \
        Generator HashSet IAsyncEnumerable ICollection IEnumerable IList IReadOnlyCollection IReadOnlyList \
        IndexSet IntoIterator Iterable IterableIterator Iterator KeysView LinkedHashSet LinkedList List \
        ListIterator MutableList MutableSequence MutableSet NavigableSet Peekable PriorityQueue Queue \
        ReadonlyArray ReadonlySet Receiver Reversible Sender Sequence Set Slice SmallVec SortedSet \
        Spliterator Stack Stream TreeSet ValuesView Vec VecDeque WeakSet array deque frozenset \
        forward_list initializer_list list multiset priority_queue queue set span stack unordered_multiset \
        unordered_set vector";
}
