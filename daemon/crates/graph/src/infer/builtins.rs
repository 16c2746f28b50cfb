//! Names of members that builtin types have. A call of one on a receiver of unknown type is more likely to mean the
//! builtin than the one type of the repository that has a member of that name.

use std::collections::HashSet;
use std::sync::LazyLock;

use sdl_model::Lang;

/// Whether builtin types of a language have a member called `name`.
pub(crate) fn is_builtin_member(name: &str, lang: Lang) -> bool {
    let words = match lang {
        Lang::Python => &PYTHON,
        Lang::JavaScript | Lang::TypeScript | Lang::Tsx => &ECMA,
        Lang::Rust => &RUST,
        Lang::Java | Lang::Kotlin => &JVM,
        Lang::CSharp => &DOTNET,
        Lang::Ruby => &RUBY,
        Lang::Go => &GO,
        Lang::Cpp | Lang::C => &CPP,
        Lang::Php | Lang::Bash | Lang::Manifest => return false,
    };
    words.contains(name)
}

pub(super) type Words = LazyLock<HashSet<&'static str>>;

macro_rules! words {
    ($($name:ident = $text:literal;)*) => {
        $(static $name: $crate::infer::builtins::Words = std::sync::LazyLock::new(|| $text.split_ascii_whitespace().collect());)*
    };
}
pub(super) use words;

words! {
    PYTHON = "\
        absolute accept add addFilter addHandler anchor append appendleft as_integer_ratio as_posix as_uri \
        astimezone bind bit_count bit_length buffer c_contiguous callHandlers capitalize casefold cast \
        center chmod clear close closed combine communicate conjugate connect connect_ex contiguous copy \
        count critical ctime cwd daemon date day days debug decode deleter denominator detach difference \
        difference_update discard drive dst dup elements encode encoding end endpos endswith error errors \
        exception exists expand expandtabs expanduser extend extendleft f_contiguous family fatal fdel fget \
        fileno filter find findCaller findall finditer flags flush fold format format_map from_bytes fromhex \
        fromisocalendar fromisoformat fromkeys fromordinal fromtimestamp fset fullmatch get getChild \
        getEffectiveLevel getName get_inheritable getblocking getbuffer getpeername getsockname getsockopt \
        getter gettimeout getvalue glob group groupdict groupindex groups handle hardlink_to hasHandlers hex \
        home hour ident imag index info insert intersection intersection_update isDaemon isEnabledFor isSet \
        is_absolute is_alive is_block_device is_char_device is_dir is_fifo is_file is_integer is_mount \
        is_relative_to is_reserved is_set is_socket is_symlink isalnum isalpha isascii isatty isdecimal \
        isdigit isdisjoint isidentifier islower isnumeric isocalendar isoformat isoweekday isprintable \
        isspace issubset issuperset istitle isupper items itemsize iterdir join joinpath keys kill lastgroup \
        lastindex lchmod line_buffering link_to listen ljust log lower lstat lstrip makeRecord makefile \
        maketrans manager match max maxlen microsecond microseconds min minute mkdir month most_common \
        move_to_end name native_id nbytes ndim newlines now numerator obj open owner parent parents \
        partition parts pattern poll pop popitem popleft pos proto re read read1 read_bytes read_text \
        readable readinto readinto1 readline readlines readlink readonly real reconfigure recv recv_into \
        recvfrom recvfrom_into recvmsg recvmsg_into regs relative_to release remove removeFilter \
        removeHandler removeprefix removesuffix rename replace resolution resolve reverse rfind rglob rindex \
        rjust rmdir root rotate rpartition rsplit rstrip run samefile scanner search second seconds seek \
        seekable send send_signal sendall sendfile sendmsg sendmsg_afalg sendto set setDaemon setLevel \
        setName set_inheritable setblocking setdefault setsockopt setter settimeout shape shutdown sort span \
        split splitlines start startswith stat stem strftime strides string strip strptime sub subn \
        suboffsets subtract suffix suffixes swapcase symlink_to symmetric_difference \
        symmetric_difference_update tell terminate time timeout timestamp timetuple timetz title to_bytes \
        tobytes today tolist toordinal toreadonly total total_seconds touch translate truncate type tzinfo \
        tzname union universal_newlines unlink update upper utcfromtimestamp utcnow utcoffset utctimetuple \
        values wait warn warning weekday with_name with_stem with_suffix writable write write_bytes \
        write_text write_through writelines year zfill";
    ECMA = "\
        abort add addEventListener addListener all appendChild apply arrayBuffer assign at bind blob call \
        catch charAt charCodeAt clear close codePointAt concat copyWithin create debug defineProperty delete \
        destroy dispatchEvent emit end endsWith entries error every exec fill filter finally find findIndex \
        findLast findLastIndex flat flatMap forEach freeze get getAttribute getTime has hasOwnProperty \
        includes indexOf info isPrototypeOf join json keys lastIndexOf listeners localeCompare log map match \
        matchAll next normalize off on once open padEnd padStart parse pipe pop push querySelector \
        querySelectorAll race read reduce reduceRight reject removeAllListeners removeChild \
        removeEventListener removeListener repeat replace replaceAll resolve return reverse search set \
        setAttribute shift size slice some sort splice split startsWith stringify substr substring test text \
        then throw toFixed toISOString toJSON toLocaleString toLowerCase toPrecision toReversed toSorted \
        toString toUpperCase trim trimEnd trimStart unshift valueOf values warn with write";
    RUST = "\
        abs all and and_then any append as_bytes as_deref as_deref_mut as_mut as_ref as_slice as_str borrow \
        borrow_mut bytes capacity chain char_indices chars checked_add checked_sub chunks clear clone cloned \
        cmp collect concat contains contains_key copied copy_from_slice count cycle dedup display drain drop \
        ends_with entry enumerate env eq eq_ignore_ascii_case err exists expect expect_err extend \
        extend_from_slice extension fetch_add file_name file_type fill filter filter_map find find_map first \
        flat_map flatten flush fmt fold for_each fuse ge get get_mut get_or_insert_with gt hash insert \
        insert_str inspect into into_boxed_slice into_inner into_iter into_iter_mut is_ascii \
        is_char_boundary is_dir is_empty is_err is_file is_none is_ok is_some is_some_and iter iter_mut join \
        keys last le len lines load lock lt map map_err map_or map_or_else max max_by max_by_key metadata \
        min min_by min_by_key ne next next_back nth ok ok_or ok_or_else or or_default or_else or_insert \
        or_insert_with output parent parse partial_cmp partition peek peekable pop pop_back pop_front \
        position product push push_back push_front push_str read read_line read_to_end read_to_string recv \
        remove repeat replace reserve resize retain rev reverse rfind rsplit rsplit_once saturating_add \
        saturating_sub seek send set shrink_to_fit skip skip_while sort sort_by sort_by_key sort_unstable \
        spawn split split_at split_off split_once split_whitespace splitn starts_with status step_by store \
        strip_prefix strip_suffix sum swap take take_while then then_some to_ascii_lowercase \
        to_ascii_uppercase to_bytes to_lowercase to_os_string to_owned to_path_buf to_str to_string \
        to_string_lossy to_uppercase to_vec transpose trim trim_end trim_end_matches trim_start \
        trim_start_matches truncate try_from try_into try_lock unwrap unwrap_err unwrap_or unwrap_or_default \
        unwrap_or_else values values_mut wait windows with wrapping_add write write_all write_fmt write_str \
        zip";
    JVM = "\
        add addAll all append apply asList charAt clear clone close collect compareTo contains containsKey \
        containsValue count delete doubleValue endsWith entrySet equals equalsIgnoreCase filter find \
        findFirst first flatMap floatValue flush forEach format get getAndSet getBytes getClass getKey \
        getMessage getName getOrDefault getValue hasMoreElements hasNext hashCode indexOf insert intValue \
        intern invoke isEmpty isPresent iterator join keySet last lastIndexOf length let limit lines \
        longValue map matches max min name next notify notifyAll offer ordinal peek poll pop print \
        printStackTrace println push put putAll putIfAbsent read readLine reduce remove removeAll replace \
        replaceAll reverse run set setLength size sort sorted split startsWith stream sub subList substring \
        sum test then toArray toCharArray toLowerCase toString toUpperCase trim valueOf values wait write";
    DOTNET = "\
        Add AddRange Aggregate All Any Append AppendLine AsReadOnly Clear Clone Close CompareTo Concat \
        Contains ContainsKey ContainsValue CopyTo Count Dispose Distinct EndsWith Equals Except First \
        FirstOrDefault Flush ForEach Format GetEnumerator GetHashCode GetType GetValueOrDefault GroupBy \
        IndexOf Insert Invoke Join Last LastOrDefault Max Min MoveNext OrderBy OrderByDescending Peek Pop \
        Push Read ReadLine Remove RemoveAll RemoveAt Replace Reverse Select SelectMany Single \
        SingleOrDefault Skip Sort Split StartsWith Substring Sum Take ToArray ToDictionary ToList ToLower \
        ToString ToUpper Trim TryGetValue Where Write WriteLine Zip";
    RUBY = "\
        all? any? append call capitalize chars chomp clear clone collect compact concat count delete detect \
        downcase dup each each_with_index each_with_object empty? end_with? eql? fetch filter find find_all \
        first flat_map flatten format freeze gsub has_key? hash include? index inject insert inspect is_a? \
        join key? keys last length map match match? max merge merge! min new nil? none? pop push raise \
        reduce reject replace respond_to? reverse select send shift size slice sort sort_by split \
        start_with? strip sub sum tap times to_a to_h to_i to_s to_sym transform_values uniq unshift upcase \
        update values zip";
    GO = "\
        Add Bytes Close Done Err Error Errorf Fatal Fatalf Flush Len Load Lock Name Print Printf Println \
        RLock RUnlock Read ReadAll Reset Seek Size Store String Swap Sync Unlock Wait Write WriteByte \
        WriteString";
    CPP = "\
        append at back begin c_str capacity clear count data emplace emplace_back empty end erase find first \
        front get insert length lock max_size pop pop_back pop_front push push_back push_front rbegin \
        release rend reserve reset resize second shrink_to_fit size str substr swap top unlock";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builtins_of_one_language_are_not_those_of_another() {
        assert!(is_builtin_member("append", Lang::Python));
        assert!(is_builtin_member("push", Lang::TypeScript));
        assert!(!is_builtin_member("push", Lang::Python));
        assert!(!is_builtin_member("get_card", Lang::Rust));
    }
}
