package import PushModel

/// Writes a JSON object with slots. It holds the bytes so far, the places of the slots, and whether a comma
/// is needed next.
package struct PayloadTemplateBuilder {
    package init() {}

    private var literals: [UInt8] = []
    private var cuts: [PayloadTemplate.Cut] = []
    /// The number of literal bytes within ``payload(_:_:)``; `nil` if that function was not called, in which
    /// case all bytes count.
    private var countedBytes: Int?
    private var needsComma = false
    private var personal = PersonalPlan()
    /// The number of nested sections that are open.
    private var depth = 0

    /// Writes `{` … `}` with the members that `members` adds between them.
    package mutating func object(_ members: (inout PayloadTemplateBuilder) -> Void) {
        literals.append(UInt8(ascii: "{"))
        needsComma = false
        members(&self)
        literals.append(UInt8(ascii: "}"))
        needsComma = true
    }

    package mutating func object(_ key: String, _ members: (inout PayloadTemplateBuilder) -> Void) {
        begin(key)
        object(members)
    }

    /// Writes an object whose bytes, including its braces, count towards the size limit. Bytes outside such
    /// objects do not count. Such objects must not be nested.
    package mutating func payload(_ key: String, _ members: (inout PayloadTemplateBuilder) -> Void) {
        begin(key)
        let start = literals.count
        object(members)
        countedBytes = (countedBytes ?? 0) + literals.count - start
    }

    /// Writes a member, or nothing if the value is `nil`. Placeholders for parameters in the value become
    /// slots.
    package mutating func string(_ key: String, _ value: String?) {
        guard let value else { return }
        begin(key)
        text(value)
    }

    /// Writes a member that may be cut between these edges. If the edges are `nil`, the member must not be
    /// cut.
    package mutating func string(_ key: String, _ value: String?, _ edges: (start: TextEdge, end: TextEdge)?)
    {
        guard let value, let edges else { return string(key, value) }
        begin(key)
        literals.append(UInt8(ascii: "\""))
        cut(.edge(edges.start))
        let sizes = (literals.count, personal.bytesInSections, personal.minValueBytes)
        inside(value)
        let least = literals.count - sizes.0 - (personal.bytesInSections - sizes.1)
        personal.bytesBetweenEdges += least + personal.minValueBytes - sizes.2
        cut(.edge(edges.end))
        literals.append(UInt8(ascii: "\""))
    }

    /// Writes a member, or nothing if the value is `nil`.
    package mutating func integer(_ key: String, _ value: Int?) {
        guard let value else { return }
        spelled(key, String(value))
    }

    /// Writes a member with the value 1 if the condition is true, or nothing if it is false.
    package mutating func one(_ key: String, if condition: Bool) {
        if condition { spelled(key, "1") }
    }

    /// Writes a member with the value true if the condition is true, or nothing if it is false.
    package mutating func flag(_ key: String, if condition: Bool) {
        if condition { spelled(key, "true") }
    }

    /// Writes a member that is an array of strings, or nothing if the array is empty.
    package mutating func strings(_ key: String, _ values: [String]) {
        guard !values.isEmpty else { return }
        begin(key)
        literals.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { literals.append(UInt8(ascii: ",")) }
            text(value)
        }
        literals.append(UInt8(ascii: "]"))
    }

    /// Writes a member whose value is already JSON.
    package mutating func spelled(_ key: String, _ spelling: String) {
        begin(key)
        literals.append(contentsOf: spelling.utf8)
    }

    /// Writes a member whose value is a string that each message fills. The values are escaped or need no
    /// escape.
    package mutating func slot(_ key: String, _ slot: PayloadTemplate.Slot, suffix: String = "") {
        bareSlot(key, slot, between: "\"", and: suffix + "\"")
    }

    /// Writes a member whose value each message fills between two marks: the elements of an array, or a
    /// number.
    package mutating func bareSlot(
        _ key: String, _ slot: PayloadTemplate.Slot, between opening: String = "", and closing: String = ""
    ) {
        begin(key)
        literals.append(contentsOf: opening.utf8)
        cut(slot)
        literals.append(contentsOf: closing.utf8)
    }

    /// Writes the data that the app reads and the device does not display: the ids, then variables and custom
    /// members. Ids are strings because the SDK drops the hit of a message whose ids are not strings (facts:
    /// SDK, payload shape).
    /// - Parameters:
    ///   - id: The slot for `_mId`; `nil` if neither id is sent.
    ///   - isText: Whether every value is a string, as FCM requires; JSON is then sent as text.
    package mutating func data(
        of delivery: DeliveryID, id: PayloadTemplate.Slot?, _ variables: [ContentVariable],
        _ custom: [CustomMember], isText: Bool = false
    ) {
        if let id {
            slot("_mId", id)
            string("_dId", String(delivery.rawValue))
        }
        for variable in variables { string(variable.name, variable.value) }
        for member in custom {
            if case .json(let json) = member.value, !isText {
                spelled(member.name, json)
            } else {
                string(member.name, member.text)
            }
        }
    }

    /// - Parameter isShortened: Whether the content was cut to the limit.
    package func template(limitBytes: Int, isShortened: Bool) throws(PayloadError) -> PayloadTemplate {
        // Content that is the same for all messages has already been cut once.
        let isPersonal = !personal.names.isEmpty
        return try PayloadTemplate(
            literals: literals,
            cuts: isPersonal ? cuts : cuts.filter { if case .edge = $0.slot { false } else { true } },
            wrappingBytes: countedBytes.map { literals.count - $0 } ?? 0, limitBytes: limitBytes,
            personal: isPersonal ? personal : nil, isShortened: isShortened)
    }

    /// Writes a text. The caller that compiles the content has already checked that its placeholders can be
    /// read.
    private mutating func text(_ text: String) {
        literals.append(UInt8(ascii: "\""))
        inside(text)
        literals.append(UInt8(ascii: "\""))
    }

    /// Writes the contents of a string between its quotation marks.
    private mutating func inside(_ text: String) {
        guard Content.isPersonalised(text), let personalText = try? PersonalText(text) else {
            literals += EscapedBytes.of(text)
            return
        }
        for piece in personalText.pieces { add(piece) }
    }

    private mutating func add(_ piece: PersonalText.Piece) {
        switch piece {
        case .text(let text): literals += EscapedBytes.of(text)
        case .value(let name, let format, let fallback):
            let fallback = fallback.map(EscapedBytes.of)
            if depth == 0 { personal.minValueBytes += min(fallback?.count ?? 1, 1) }
            cut(.value(personal.values.count))
            personal.values.append(
                PersonalPlan.Value(name: personal.index(of: name), fallback: fallback, format: format))
            if format?.asksLanguage == true { personal.formats = .all }
        case .section(let name, let isInverted, let pieces):
            let place = personal.sections.count
            cut(.section(place))
            personal.sections.append(
                PersonalPlan.Section(
                    name: personal.index(of: name), isInverted: isInverted, endCut: 0, endLiteral: 0))
            let start = literals.count
            depth += 1
            for piece in pieces { add(piece) }
            depth -= 1
            personal.sections[place].endCut = cuts.count
            personal.sections[place].endLiteral = literals.count
            if depth == 0 { personal.bytesInSections += literals.count - start }
        }
    }

    private mutating func cut(_ slot: PayloadTemplate.Slot) {
        cuts.append(PayloadTemplate.Cut(literalEnd: literals.count, slot: slot))
    }

    private mutating func begin(_ key: String) {
        if needsComma { literals.append(UInt8(ascii: ",")) }
        JSONText.append(key, to: &literals)
        literals.append(UInt8(ascii: ":"))
        needsComma = true
    }
}

extension MessageIDFormat {
    /// Returns the slot for a message's `_mId`; `nil` if the message is not tracked.
    package func slot(tracking: Bool) -> PayloadTemplate.Slot? {
        guard tracking else { return nil }
        return self == .uuid ? .identity : .integer
    }
}
