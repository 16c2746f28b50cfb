((import
   "public"
   path: (string) @module) @import
 (#set! import wildcard)
 (#set! reexport true))

((import
   .
   "import"
   .
   path: (string) @module) @import
 (#set! import wildcard))
