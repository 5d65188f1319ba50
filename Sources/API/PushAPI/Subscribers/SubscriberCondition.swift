internal import PushConnectors
internal import PushModel
internal import PushWire

/// A condition that selects subscribers of a list, as in `target.where` of a delivery.
struct SubscriberCondition {
    private let text: String

    init(_ text: String) { self.text = text }

    private static let example = #"{"city": "Rome"}"#
    /// The place of the condition in the document in which it is read.
    private static let place = "target.where"

    /// - Throws: If the condition cannot be read, or if it names a parameter that none of the apps declares.
    func target(for apps: [App]) throws(OperationError) -> Target {
        let condition: JSONValue
        do throws(WireError) { condition = try JSONParser.document(Array(text.utf8)) } catch {
            throw OperationError(
                .usage, "where: must be a JSON object such as \(Self.example): \(error.lines.first ?? "")")
        }
        let target = try Self.target(condition)
        let strange = PersonalCheck.undeclared(target.parameterNames, for: apps)
        guard strange.isEmpty else {
            let names = strange.prefix(8).map { "\"\($0.printable(atMost: 64))\"" }.joined(separator: ", ")
            throw OperationError(
                .usage,
                "where: no app in the list declares a parameter \(names); \(see: ShowApp.self) lists them"
            )
        }
        return target
    }

    /// Reads the condition as part of a delivery's document, so that both have the same form and limits.
    private static func target(_ condition: JSONValue) throws(OperationError) -> Target {
        let document: JSONValue = [
            "label": .string("list"), "service": .string("list"), "target": ["where": condition],
            "content": ["title": .string("list")],
        ]
        var bytes: [UInt8] = []
        document.append(to: &bytes)
        do throws(WireError) {
            let read = try DeliveryDocument.parse(bytes, contents: ConnectorCatalogue.contents)
            if let target = read.target { return target }
        } catch {
            let lines = error.lines.map { $0.replacing(place, with: "where") }
            throw OperationError(.usage, lines: lines)
        }
        throw OperationError(.usage, "where: must be a JSON object such as \(example)")
    }
}
