//! Ruby: calls without a receiver in mixins and in instance methods.

use sdl_model::facts::{DefFlags, Ref, RefForm};
use sdl_model::{Lang, SymbolKind};

use super::Ruby;
use crate::resolve::{CallRules, Outcome, Resolver};
use crate::words::words;
use crate::world::{DefRef, Sym};

impl CallRules for Ruby {
    fn is_builtin_member(&self, _: Lang, name: &str) -> bool {
        BUILTIN.contains(name)
    }

    /// In a mixin, a name without a receiver may be a member of the including type: `each` in a module that is mixed
    /// into collections.
    fn unknown_function(&self, resolver: &Resolver<'_, '_>, one: &Ref, name: Sym) -> Outcome {
        let found = resolver.only_function(one, name);
        let is_method = one.form == RefForm::Call && matches!(found, Outcome::Unresolved | Outcome::External);
        if is_method && resolver.infer.self_class(&resolver.ctx(one)).is_some() {
            return resolver.unknown_receiver(one, name, true);
        }
        found
    }

    /// An instance does not have static members.
    fn narrow_guess(&self, resolver: &Resolver<'_, '_>, one: &Ref, found: &mut Vec<DefRef>) {
        if one.recv.is_none() && is_of_instance(resolver, one) {
            found.retain(|def| {
                let file = resolver.infer.file(def.file);
                file.outline.def(def.def).is_some_and(|found| !found.flags.has(DefFlags::STATIC))
            });
        }
        resolver.drop_unfitting(one, found);
    }
}

/// Whether a reference is in an instance method.
fn is_of_instance(resolver: &Resolver<'_, '_>, one: &Ref) -> bool {
    let file = resolver.infer.file(resolver.infer.own.file);
    let around = file.enclosing(one.scope, SymbolKind::is_callable);
    let def = around.and_then(|around| file.outline.def(around));
    def.is_some_and(|def| def.kind != SymbolKind::Function && !def.flags.has(DefFlags::STATIC))
}

words! {
    BUILTIN = "\
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
}
