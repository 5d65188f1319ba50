package import PushModel

/// Writes a JSON object with slots: the bytes so far, where slots stand, and whether a comma is due.
package struct PayloadTemplateBuilder {
    package init() {}

    private var literals: [UInt8] = []
    private var cuts: [PayloadTemplate.Cut] = []
    /// Literals within ``payload(_:_:)``; nil where there was none, and all of them count.
    private var countedBytes: Int?
    private var needsComma = false
    private var personal = PersonalPlan()
    /// Sections within one another that are open.
    private var depth = 0

    /// `{` … `}` with what `members` adds between them.
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

    /// An object of which the gateway counts every byte, while it counts none outside of these. Not to be
    /// nested.
    package mutating func payload(_ key: String, _ members: (inout PayloadTemplateBuilder) -> Void) {
        begin(key)
        let start = literals.count
        object(members)
        countedBytes = (countedBytes ?? 0) + literals.count - start
    }

    /// A member; none where the value is nil. Its places for parameters become slots.
    package mutating func string(_ key: String, _ value: String?) {
        guard let value else { return }
        begin(key)
        text(value)
    }

    /// A member that may be cut between these edges; nil: it may not.
    package mutating func string(_ key: String, _ value: String?, _ edges: (start: TextEdge, end: TextEdge)?)
    {
        guard let value, let edges else { return string(key, value) }
        begin(key)
        literals.append(UInt8(ascii: "\""))
        cut(.edge(edges.start))
        let sizes = (literals.count, personal.bytesInSections, personal.leastValueBytes)
        inside(value)
        let least = literals.count - sizes.0 - (personal.bytesInSections - sizes.1)
        personal.bytesBetweenEdges += least + personal.leastValueBytes - sizes.2
        cut(.edge(edges.end))
        literals.append(UInt8(ascii: "\""))
    }

    /// A member; none where the value is nil.
    package mutating func integer(_ key: String, _ value: Int?) {
        guard let value else { return }
        spelled(key, String(value))
    }

    /// A member whose value is a 1 for true; none where it is false.
    package mutating func one(_ key: String, if condition: Bool) {
        if condition { spelled(key, "1") }
    }

    /// A member whose value is true; none where it is false.
    package mutating func flag(_ key: String, if condition: Bool) {
        if condition { spelled(key, "true") }
    }

    /// A member that is an array of strings; none where it is empty.
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

    /// A member whose value is JSON already.
    package mutating func spelled(_ key: String, _ spelling: String) {
        begin(key)
        literals.append(contentsOf: spelling.utf8)
    }

    /// A member whose value is a string that each message fills. What fills it is escaped or needs no escape.
    package mutating func slot(_ key: String, _ slot: PayloadTemplate.Slot, suffix: String = "") {
        bareSlot(key, slot, between: "\"", and: suffix + "\"")
    }

    /// A member of which each message fills what stands between two marks: an array's elements, a number.
    package mutating func bareSlot(
        _ key: String, _ slot: PayloadTemplate.Slot, between opening: String = "", and closing: String = ""
    ) {
        begin(key)
        literals.append(contentsOf: opening.utf8)
        cut(slot)
        literals.append(contentsOf: closing.utf8)
    }

    /// Adds what the app reads and the device does not show: the ids, then variables and custom members. Ids
    /// are strings because the SDK drops the hit of a message whose ids are not (facts: SDK, payload shape).
    /// - Parameters:
    ///   - id: what fills `_mId`; nil: neither id is sent.
    ///   - isText: whether every value is a string, as FCM demands: JSON travels as its text.
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
        // What is the same for all messages is cut once, before this.
        let isPersonal = !personal.names.isEmpty
        return try PayloadTemplate(
            literals: literals,
            cuts: isPersonal ? cuts : cuts.filter { if case .edge = $0.slot { false } else { true } },
            wrappingBytes: countedBytes.map { literals.count - $0 } ?? 0, limitBytes: limitBytes,
            personal: isPersonal ? personal : nil, isShortened: isShortened)
    }

    /// Whoever compiles a content has asked before whether its places can be read.
    private mutating func text(_ text: String) {
        literals.append(UInt8(ascii: "\""))
        inside(text)
        literals.append(UInt8(ascii: "\""))
    }

    /// What a string has between its quotation marks.
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
            if depth == 0 { personal.leastValueBytes += min(fallback?.count ?? 1, 1) }
            cut(.value(personal.values.count))
            personal.values.append(
                PersonalPlan.Value(name: personal.index(of: name), fallback: fallback, format: format))
            if format != nil { personal.formats = .all }
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
    /// What fills a message's `_mId`; nil where it is not tracked.
    package func slot(tracking: Bool) -> PayloadTemplate.Slot? {
        guard tracking else { return nil }
        return self == .uuid ? .identity : .integer
    }
}
