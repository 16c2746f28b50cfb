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
        Lang::Kotlin if KOTLIN.contains(name) => return true,
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
        cmp collect concat contains contains_key copied copy_from_slice count cycle dedup default display drain drop \
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
    KOTLIN = "\
        all also and any apply asIterable asReversed asSequence associate associateBy associateWith average \
        chunked coerceAtLeast coerceAtMost coerceIn component1 component2 contentEquals contentHashCode \
        contentToString copyInto copyOf copyOfRange count countOneBits dec decodeToString digitToInt \
        distinct distinctBy div drop dropLast dropWhile elementAt encodeToByteArray ensureCapacity fill \
        filterIndexed filterIsInstance filterNot filterNotNull findLast firstOrNull flatten fold foldIndexed \
        forEachIndexed getOrDefault getOrElse getOrNull getOrPut groupBy ifBlank ifEmpty inc indexOfFirst \
        indexOfLast inv isBlank isDigit isLetter isLetterOrDigit isLowerCase isNaN isNotBlank isNotEmpty \
        isNullOrBlank isNullOrEmpty isUpperCase isWhitespace joinToString lastOrNull lowercase lowercaseChar \
        mapIndexed mapIndexedNotNull mapKeys mapNotNull mapTo mapValues maxBy maxByOrNull maxOf maxOfOrNull \
        maxOrNull minBy minByOrNull minOf minOrNull minus minusAssign mod none onEach onEachIndexed or \
        orEmpty padEnd padStart partition plus plusAssign random rangeTo readText reduceOrNull rem \
        removeFirst removeFirstOrNull removeIf removeLast removeLastOrNull removePrefix removeSuffix \
        removeSurrounding repeat replaceFirst requireNoNulls retainAll reversed rotateLeft rotateRight shl \
        shr single singleOrNull slice sortBy sortDescending sortWith sortedBy sortedByDescending \
        sortedDescending sortedWith step subSequence substringAfter substringAfterLast substringBefore \
        substringBeforeLast sumBy sumOf take takeIf takeLast takeLowestOneBit takeUnless takeWhile times \
        toBigDecimal toBigInteger toBoolean toByte toByteArray toChar toCollection toDouble toDoubleOrNull \
        toFloat toHashSet toInt toIntOrNull toList toLong toLongOrNull toMap toMutableList toMutableMap \
        toMutableSet toRegex toSet toShort toSortedMap toSortedSet toTypedArray toUByte toUInt toULong \
        toUShort trimEnd trimIndent trimMargin trimStart unaryMinus unaryPlus unzip uppercase uppercaseChar \
        use ushr windowed with withIndex writeText xor zip zipWithNext";
    DOTNET = "\
        Add AddRange Aggregate All Any Append AppendLine AsReadOnly Clear Clone Close CompareTo Concat \
        Contains ContainsKey ContainsValue CopyTo Count Dispose Distinct EndsWith Equals Except First \
        FirstOrDefault Flush ForEach Format GetEnumerator GetHashCode GetType GetValueOrDefault GroupBy \
        IndexOf Insert Invoke Join Last LastOrDefault Max Min MoveNext OrderBy OrderByDescending Peek Pop \
        Push Read ReadLine Remove RemoveAll RemoveAt Replace Reverse Select SelectMany Single \
        SingleOrDefault Skip Sort Split StartsWith Substring Sum Take ToArray ToDictionary ToList ToLower \
        ToString ToUpper Trim TryGetValue Where Write WriteLine Zip";
    RUBY = "\
        abs abs2 absolute_path absolute_path? add add? advise alias_method all? allbits? ancestors angle \
        any? anybits? append arg arity ascii_only? asctime assoc at atime attr attr_accessor attr_reader \
        attr_writer autoclose? autoload autoload? b backtrace backtrace_locations basename begin between? \
        binding binmode binmode? binread binwrite birthtime bit_length blockdev? bsearch bsearch_index bytes \
        bytesize byteslice call capitalize capitalize! captures casecmp casecmp? casefold? cause ceil center \
        chain chardev? chars chmod chomp chomp! chop chop! chown chr chunk chunk_while clamp class \
        class_eval class_exec class_variable_defined? class_variable_get class_variable_set class_variables \
        classify clear clone close close_on_exec? close_read close_write closed? closed_read? closed_write? \
        codepoints coerce collect collect! collect_concat combination compact compact! compare_by_identity \
        compare_by_identity? concat conj conjugate const_defined? const_get const_missing const_set \
        const_source_location constants copy_stream count cover? crypt ctime curry cycle day deconstruct \
        deconstruct_keys default default_proc define_method define_singleton_method delete delete! delete? \
        delete_at delete_if delete_prefix delete_prefix! delete_suffix delete_suffix! denominator \
        deprecate_constant detect difference dig digits directory? dirname disjoint? display div divide \
        divmod downcase downcase! downto drop drop_while dst? dump dup each each_byte each_char \
        each_codepoint each_cons each_entry each_grapheme_cluster each_index each_key each_line each_pair \
        each_slice each_value each_with_index each_with_object eager empty? encode encode! encoding end \
        end_with? entries enum_for eof eof? eql? equal? even? except exception exclude_end? executable? \
        executable_real? exist? exists? expand_path extend external_encoding extname fcntl fdatasync fdiv \
        feed fetch fetch_values file? fileno fill filter filter! filter_map find find_all find_index finite? \
        first fixed_encoding? flat_map flatten flatten! flatten_merge flock floor flush fnmatch fnmatch? \
        for_fd force force_encoding foreach freeze friday? frozen? fsync ftype full_message gcd gcdlcm \
        getbyte getc getgm getlocal gets getutc gmt? gmt_offset gmtime gmtoff grapheme_clusters grep grep_v \
        group_by grpowned? gsub gsub! has_key? has_value? hash hex hour i id2name identical? imag imaginary \
        include include? included_modules index infinite? inject insert inspect instance_eval instance_exec \
        instance_method instance_methods instance_of? instance_variable_defined? instance_variable_get \
        instance_variable_set instance_variables integer? intern internal_encoding intersect? intersection \
        invert ioctl is_a? isatty isdst itself join keep_if key key? keys kind_of? lambda? last lazy lchmod \
        lchown lcm length lineno lines link ljust localtime lstat lstrip lstrip! lutime magnitude map map! \
        match match? match_length max max_by mday member? merge merge! message method method_defined? \
        methods min min_by minmax minmax_by mkfifo module_eval module_exec modulo mon monday? month mtime \
        name named_captures names nan? negative? new next next! next_float next_values nil? nobits? none? \
        nonzero? nsec numerator object_id oct odd? offset one? open options ord owned? pack parameters \
        partition path peek peek_values permutation phase pid pipe pipe? polar pop popen pos positive? \
        post_match pow pre_match pread pred prepend pretty_print pretty_print_cycle prev_float print printf \
        private_class_method private_constant private_instance_methods private_method_defined? \
        private_methods product proper_subset? proper_superset? protected_instance_methods \
        protected_method_defined? protected_methods public_class_method public_constant \
        public_instance_method public_instance_methods public_method public_method_defined? public_methods \
        public_send push putc puts pwrite quo rassoc rationalize read read_nonblock readable? readable_real? \
        readbyte readchar readline readlines readlink readpartial real real? realdirpath realpath rect \
        rectangular reduce regexp rehash reject reject! remainder remove_class_variable \
        remove_instance_variable remove_method rename reopen repeated_combination repeated_permutation \
        replace reset respond_to? reverse reverse! reverse_each rewind rindex rjust rotate rotate! round \
        rpartition rstrip rstrip! ruby2_keywords sample saturday? scan scrub scrub! sec seek select select! \
        send set_backtrace set_encoding set_encoding_by_bom setbyte setgid? setuid? shift shuffle shuffle! \
        singleton_class singleton_class? singleton_method singleton_method_added singleton_methods size \
        size? slice slice! slice_after slice_before slice_when socket? sort sort! sort_by sort_by! source \
        source_location split squeeze squeeze! start_with? stat step sticky? store strftime string strip \
        strip! sub sub! subsec subset? subtract succ succ! sum sunday? superset? swapcase swapcase! symlink \
        symlink? sync sysopen sysread sysseek syswrite taint tainted? take take_while tally tap tell then \
        thursday? times to_a to_ary to_c to_enum to_f to_h to_hash to_i to_int to_io to_path to_proc to_r \
        to_s to_set to_str to_sym tr tr! tr_s tr_s! transform_keys transform_keys! transform_values \
        transform_values! transpose truncate trust try_convert tty? tuesday? tv_nsec tv_sec tv_usec umask \
        undef_method undump ungetbyte ungetc unicode_normalize unicode_normalize! unicode_normalized? union \
        uniq uniq! unlink unpack unpack1 unshift untaint untrust untrusted? upcase upcase! update upto usec \
        utc utc? utc_offset utime valid_encoding? value? values values_at wday wednesday? with_index \
        with_object world_readable? world_writable? writable? writable_real? write write_nonblock yday year \
        yield yield_self zero? zip zone";
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
