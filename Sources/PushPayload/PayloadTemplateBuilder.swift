import PushModel

/// Writes a JSON object with slots: the bytes so far, where slots stand, and whether a comma is due.
struct PayloadTemplateBuilder {
    private var literals: [UInt8] = []
    private var cuts: [PayloadTemplate.Cut] = []
    private var needsComma = false

    /// `{` … `}` with what `members` adds between them.
    mutating func object(_ members: (inout PayloadTemplateBuilder) -> Void) {
        literals.append(UInt8(ascii: "{"))
        needsComma = false
        members(&self)
        literals.append(UInt8(ascii: "}"))
        needsComma = true
    }

    mutating func object(_ key: String, _ members: (inout PayloadTemplateBuilder) -> Void) {
        begin(key)
        object(members)
    }

    /// A member; none where the value is nil.
    mutating func string(_ key: String, _ value: String?) {
        guard let value else { return }
        begin(key)
        JSONText.append(value, to: &literals)
    }

    /// A member; none where the value is nil.
    mutating func integer(_ key: String, _ value: Int?) {
        guard let value else { return }
        number(key, String(value))
    }

    /// A member whose value is the 1 that Apple writes for true; none where it is false.
    mutating func one(_ key: String, if condition: Bool) {
        if condition { number(key, "1") }
    }

    /// A member whose value is spelled already.
    mutating func number(_ key: String, _ spelling: String) {
        begin(key)
        literals.append(contentsOf: spelling.utf8)
    }

    /// A member whose value is a string that each message fills. What fills it needs no escape.
    mutating func slot(_ key: String, _ slot: PayloadTemplate.Slot) {
        begin(key)
        literals.append(UInt8(ascii: "\""))
        cuts.append(PayloadTemplate.Cut(literalEnd: literals.count, slot: slot))
        literals.append(UInt8(ascii: "\""))
    }

    func template(limitBytes: Int) throws(PayloadError) -> PayloadTemplate {
        try PayloadTemplate(literals: literals, cuts: cuts, limitBytes: limitBytes)
    }

    private mutating func begin(_ key: String) {
        if needsComma { literals.append(UInt8(ascii: ",")) }
        JSONText.append(key, to: &literals)
        literals.append(UInt8(ascii: ":"))
        needsComma = true
    }
}
