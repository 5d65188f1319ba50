package import PushModel

extension DeliveryDocument {
    /// Returns a document with the same effect as the one that was submitted for a delivery. The returned
    /// document contains the content as merged with its template, and the names of all apps.
    /// - Parameters:
    ///   - listed: The recipients that the target lists, in order.
    /// - Throws: If the content is not JSON.
    package static func json(
        of order: DeliveryOrder, service: String, apps: [String], listed: [ListedRecipient]
    ) throws(JSONFault) -> JSONValue {
        var schedule = order.schedule
        // If the calendar needs no time zone, its zone has no effect. If it needs one and the submitted
        // document had none, the submission added this machine's zone.
        if schedule.calendar?.asksZones != true { schedule.calendar?.timeZone = nil }
        return [
            "label": .string(order.label), "service": .string(service),
            "apps": .strings(apps), "target": try order.target.json(listed),
            "content": try JSONParser.parse(order.contentJSON),
            "schedule": try DeliverySchedule.fields.json(of: schedule),
            "retry": try RetryOverride.fields.json(of: order.retry),
            "tracking": order.tracking ? nil : .boolean(false),
            "ignoreFrequencyCap": order.target.ignoresFrequencyCap ? .boolean(true) : nil,
        ]
    }
}

extension Fields {
    /// Returns the object as JSON, or `nil` if every member has its default value.
    fileprivate func json(of root: Root) throws(JSONFault) -> JSONValue? {
        var writer = DocumentWriter()
        writer.object { write(root, by: &$0) }
        let value = try JSONParser.parse(writer.bytes)
        return value == [:] ? nil : value
    }
}

extension JSONValue {
    /// The members of an object; empty for any other value.
    fileprivate var members: [JSONMember] { if case .object(let members) = self { members } else { [] } }

    fileprivate static func strings(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }

    /// Returns `nil` if there are no values.
    fileprivate static func someStrings(_ values: [String]) -> JSONValue? {
        values.isEmpty ? nil : strings(values)
    }
}

extension Target {
    /// Returns `nil` if the recipients were submitted separately from the document and none of them are left
    /// out.
    fileprivate func json(_ listed: [ListedRecipient]) throws(JSONFault) -> JSONValue? {
        let members = try base(listed) + refinements
        return members.isEmpty ? nil : .object(members)
    }

    private func base(_ listed: [ListedRecipient]) throws(JSONFault) -> [JSONMember] {
        func member(_ name: String, _ value: JSONValue) -> [JSONMember] {
            [JSONMember(key: name, value: value)]
        }
        func list(_ kind: RecipientList.Kind) throws(JSONFault) -> [JSONMember] {
            guard variables != nil else {
                return member(kind.rawValue, .strings(listed.map(\.value)))
            }
            var recipients: [JSONValue] = []
            for recipient in listed {
                let texts = recipient.variables
                recipients.append([
                    kind.key: .string(recipient.value),
                    "variables": texts.isEmpty ? nil : try JSONParser.parse(texts),
                ])
            }
            return member("recipients", .array(recipients))
        }
        switch base {
        case .all: return member("all", .boolean(true))
        case .userKeys: return try list(.userKeys)
        case .tokens: return try list(.tokens)
        case .list: return []
        case .parameters(let wanted):
            let members = wanted.sorted { $0.key < $1.key }.map {
                JSONMember(key: $0.key, value: .string($0.value))
            }
            return member("where", .object(members))
        case .matching(let expression): return member("where", expression.json)
        case .recipients(let delivery): return member("recipientsOf", .integer(delivery.rawValue))
        case .openers(let delivery): return member("openersOf", .integer(delivery.rawValue))
        case .nonOpeners(let delivery): return member("nonOpenersOf", .integer(delivery.rawValue))
        case .combined(let set): return [set.member]
        }
    }

    private var refinements: [JSONMember] {
        let listed: JSONValue = [
            "userKeys": .someStrings(exclusion.userKeys), "tokens": .someStrings(exclusion.tokens),
        ]
        let excluded = listed.members + exclusion.sets.map(\.member)
        let refined: JSONValue = [
            "exclude": exclusion.isEmpty ? nil : .object(excluded), "sample": sample?.json,
            "oncePerUser": isOncePerUser ? .boolean(true) : nil,
        ]
        return refined.members
    }
}

extension TargetSample {
    fileprivate var json: JSONValue {
        func part(_ places: Int) -> JSONValue { .real(Double(places) / Double(Self.places)) }
        return [
            "share": part(share), "seed": seed == 0 ? nil : .integer(seed),
            "from": from == 0 ? nil : part(from),
        ]
    }
}

extension TargetExpression {
    /// The expression in the form of a document's `where`. Comparisons of several parameters become members
    /// of one object, as in documents, because a combination would count toward a document's limits.
    var json: JSONValue {
        switch self {
        case .and(let parts): .object(Self.members(parts))
        case .or(let parts): ["or": .array(parts.map(\.json))]
        case .not(let part): ["not": part.json]
        case .compare("not", .equal, let value): ["not": value.json]
        case .compare(let name, let comparison, let value):
            .object([
                JSONMember(
                    key: name, value: .object([JSONMember(key: comparison.rawValue, value: value.json)]))
            ])
        case .oneOf(let name, let values):
            .object([JSONMember(key: name, value: ["in": .array(values.map(\.json))])])
        case .exists(let name, let isThere):
            .object([JSONMember(key: name, value: ["exists": .boolean(isThere)])])
        }
    }

    /// Returns the members of an object in which all parts must be true.
    private static func members(_ parts: [TargetExpression]) -> [JSONMember] {
        var members: [JSONMember] = []
        for part in parts {
            guard case .object(let found) = part.json else { continue }
            for member in found {
                guard let index = members.firstIndex(where: { $0.key == member.key }) else {
                    members.append(member)
                    continue
                }
                guard case .object(let known) = members[index].value, case .object(let more) = member.value,
                    member.key != "not",
                    !known.contains(where: { one in more.contains { $0.key == one.key } })
                else { return [JSONMember(key: "and", value: .array(parts.map(\.json)))] }
                members[index].value = .object(known + more)
            }
        }
        return members
    }
}

extension TargetValue {
    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .integer(let integer): .integer(integer)
        case .real(let real): .real(real)
        case .boolean(let boolean): .boolean(boolean)
        case .date(let date): .string(date.text)
        }
    }
}
