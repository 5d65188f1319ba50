import GatewayAPNs
import GatewayFCM
import PushModel
import PushWire
import TestContents
import Testing

/// Tests of the descriptions of documents against the documents that their readers accept.
@Suite struct DocumentSchemaTests {
    /// A place in a document: its schema, and a document with a value at this place.
    struct Place {
        var schema: Schema
        var path = ""
        var document: (JSONValue) -> JSONValue = { $0 }

        /// Returns the place of a value within this one.
        func inner(_ schema: Schema, _ path: String, _ value: @escaping (JSONValue) -> JSONValue) -> Place {
            let path = self.path.isEmpty && path.hasPrefix(".") ? String(path.dropFirst()) : self.path + path
            return Place(schema: schema, path: path) { document(value($0)) }
        }
    }

    enum Kind: CaseIterable {
        case delivery, template, message

        var schema: Schema {
            switch self {
            case .delivery: DeliveryDocument.schema
            case .template: TemplateDocument.schema
            case .message: MessageDocument.schema
            }
        }

        func findings(in value: JSONValue) -> [Fault] {
            do throws(WireError) {
                switch self {
                case .delivery: _ = try DeliveryDocument.read(value)
                case .template:
                    var bytes: [UInt8] = []
                    value.append(to: &bytes)
                    _ = try TemplateDocument.parse(bytes)
                case .message:
                    _ = try MessageDocument.read(value) { value throws(WireError) in
                        try ContentDocument.read(value)
                    }
                }
                return []
            } catch {
                guard case .document(let findings) = error else { return [] }
                return findings
            }
        }
    }

    /// Returns this place and all places within it, with each component once.
    private static func places(_ place: Place, seen: inout Set<String>) -> [Place] {
        switch place.schema {
        case .component(let name, let schema):
            guard seen.insert(name).inserted else { return [] }
            return places(place.inner(schema(), "") { $0 }, seen: &seen)
        case .object(let members, _):
            return members.reduce(into: [place]) { found, member in
                let inner = place.inner(member.schema, ".\(member.name)") {
                    object(members, with: member.name, $0)
                }
                found += places(inner, seen: &seen)
            }
        case .list(let item, _):
            return [place] + places(place.inner(item, "[0]") { .array([$0]) }, seen: &seen)
        case .map(let item, _, _):
            return [place] + places(place.inner(item, ".fr") { ["fr": $0] }, seen: &seen)
        case .oneOf(let schemas):
            return schemas.flatMap { places(place.inner($0, "") { $0 }, seen: &seen) }
        default: return [place]
        }
    }

    /// Returns an object with one additional member, and with null for its required members.
    private static func object(_ members: [Schema.Member], with name: String, _ value: JSONValue) -> JSONValue
    {
        let needed = members.filter { $0.isRequired && $0.name != name }
        return .object(
            [JSONMember(key: name, value: value)] + needed.map { JSONMember(key: $0.name, value: .null) })
    }

    @Test(arguments: Kind.allCases)
    func `a reader accepts exactly the keys in the description of its document`(kind: Kind) throws {
        var (seen, objects) = (Set<String>(), 0)
        for place in Self.places(Place(schema: kind.schema), seen: &seen) {
            guard case .object(let members, _) = place.schema else { continue }
            let document = place.document(Self.object(members, with: "?", .null))
            let mark = "unknown; allowed: "
            let unknown = kind.findings(in: document).filter { $0.problem.hasPrefix(mark) }
            #expect(
                unknown.map { String($0.problem.dropFirst(mark.count)) } == [
                    members.map(\.name).joined(separator: ", ")
                ])
            objects += 1
        }
        #expect(objects >= 8)
        #expect(seen.isSuperset(of: ["Content", "ContentOfLanguage", "IOSContent", "AndroidContent"]))
    }

    /// Returns values at the limits, and values beyond them.
    private static func values(of schema: Schema) -> (allowed: [JSONValue], refused: [JSONValue]) {
        func text(_ count: Int) -> JSONValue { .string(String(repeating: "x", count: count)) }
        switch schema {
        case .text(let most), .key(let most):
            return ([text(1), text(most)], [text(0), text(most + 1), .integer(1)])
        case .integers(let range):
            let (least, most) = (Int64(range.lowerBound), Int64(range.upperBound))
            return ([.integer(least), .integer(most)], [.integer(least - 1), .integer(most + 1), .null])
        case .numbers(let range):
            return (
                [.real(range.lowerBound), .real(range.upperBound)],
                [.real(range.lowerBound - 0.000_001), .real(range.upperBound + 0.000_001), .null]
            )
        case .words(let words, _): return (words.map { .string($0) }, [.string("?"), .null])
        case .boolean: return ([.boolean(true)], [.null])
        case .string, .time: return ([], [.null])
        case .list(_, let count?):
            let many = JSONValue.array(Array(repeating: .null, count: count.upperBound + 1))
            return ([], [.null] + (count.lowerBound > 0 ? [.array([])] : []) + [many])
        case .map(_, let count?, _): return ([], count.lowerBound > 0 ? [.null, .object([])] : [.null])
        default: return ([], [])
        }
    }

    @Test(arguments: Kind.allCases)
    func `a value within the described limits is accepted, and a value beyond them is refused`(kind: Kind)
        throws
    {
        var seen: Set<String> = []
        for place in Self.places(Place(schema: kind.schema), seen: &seen) {
            func problems(_ value: JSONValue) -> [String] {
                kind.findings(in: place.document(value)).filter { $0.path == place.path }.map(\.problem)
            }
            let (allowed, refused) = Self.values(of: place.schema)
            for value in refused { #expect(!problems(value).isEmpty, "\(place.path) \(value)") }
            for value in allowed {
                // This does not test whether the value is allowed in combination with other values.
                let faults = problems(value).filter { problem in
                    ["must be", "must have", "must not be"].contains(
                        where: problem.contains)
                }
                #expect(faults.isEmpty, "\(place.path) \(value)")
            }
        }
    }

    @Test func `the order of members makes no difference`() throws {
        let document = """
            {"label":"l","service":"s","apps":["a","b"],"environments":["production"],
             "target":{"all":true,"oncePerUser":true,"sample":{"share":0.5}},
             "content":{"title":"t","body":"b","shorten":true,"variables":{"a":"1"},
              "ios":{"sound":"s","badge":3,"category":"c","collapseId":"x","interruptionLevel":"active"},
              "android":{"type":"notification","channelId":"c","tag":"x","color":"#FF0000","priority":"high"},
              "languages":{"fr":{"title":"u","body":"c"}}},
             "schedule":{"startAt":"2026-12-01T10:00:00Z","validity":"2d","priority":"high","ratePerSecond":5,
              "retentionDays":3,"localTime":"10:00","quietHours":{"from":"22:00","to":"08:00"},
              "timeZone":"Europe/Paris"},
             "retry":{"count":2,"period":"10m"},"tracking":false}
            """
        let value = try JSONParser.parse(Array(document.utf8))
        var bytes: [UInt8] = []
        Self.reversed(value).append(to: &bytes)
        let read = try DeliveryDocument.parse(Array(document.utf8))
        #expect(try DeliveryDocument.parse(bytes) == read)
        #expect(read.schedule.calendar?.timeZone == "Europe/Paris")
    }

    private static func reversed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(members.reversed().map { JSONMember(key: $0.key, value: reversed($0.value)) })
        case .array(let elements): .array(elements.map(reversed))
        default: value
        }
    }
}
