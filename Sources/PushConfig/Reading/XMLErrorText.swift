/// libxml2's error numbers in words (its `xmlerror.h`, which `XMLParser.ErrorCode` repeats): those that a document
/// can still meet after ``TagScanner`` has been through it.
enum XMLErrorText {
    static func of(code: Int) -> String {
        texts[code] ?? "this is not well-formed XML (libxml2 error \(code))"
    }

    private static let texts: [Int: String] = [
        5: "nothing may follow the last tag",
        6: "a character reference is incomplete", 7: "a character reference is incomplete",
        8: "a character reference is incomplete",
        9: "a character that XML does not allow",
        22: "the character & itself is written &amp;",
        26: "an unknown entity: only &amp; &lt; &gt; &quot; &apos; and &#number; are read",
        23: "an entity without its ';' (the character & itself is written &amp;)",
        31: "an encoding that is not read: save the file as UTF-8",
        38: "'<' in a value is written &lt;",
        46: "a processing instruction without a name", 47: "a processing instruction that does not end",
        57: "the XML declaration does not end with ?>",
        62: "']]>' in text is written ]]&gt;",
        64: "the XML declaration may stand only at the very beginning",
        65: "a space is missing here",
        68: "a name is expected here (the character & itself is written &amp;)",
        73: "'>' is missing here",
        76: "a closing tag that closes nothing",
        79: "the encoding is not a name", 96: "the XML declaration has no version",
        97: "a version of XML that is not read: write version=\"1.0\"",
        100: "a namespace that is not a full URI: serverConf.xml has none",
        108: "a version of XML that is not read: write version=\"1.0\"",
        109: "a version of XML that is not read: write version=\"1.0\"",
        201: "a prefix without a namespace: serverConf.xml has none",
    ]
}
