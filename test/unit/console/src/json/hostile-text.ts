/** A JSON text that a viewer could change by parsing, rendering or reordering it. */
export const hostileText = [
  ' {"big":9007199254740993, "exp" : 1e400,\t"zero":-0,"same":1,"same":2,"\\u0073ame":3,',
  '"__proto__":{"x":1},"10":1,"9":2,"nul":"a\\u0000b","pair":"\\ud83d\\ude00","lone":"\\ud800",',
  '"emoji":"👩‍👩‍👧 ❤️","bidi":"مرحبا \u202eevil\u202c \u2066x\u2069","hidden":"a\u200bb\ufeffc",',
  '"html":"<img src=x onerror=alert(1)>","link":"javascript:alert(1)","a/b~c":[[],{},[null]],',
  `"":"","long":"${'0123456789'.repeat(90)}"}\r\n`
].join('\n')
