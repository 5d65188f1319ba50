internal import GatewayAPNs
internal import PushModel
internal import PushPayload

/// Renders payloads that have the same content and differ only in their message ids.
final class RenderStage: Stage {
    static let messagesPerRound = 1_000
    private var payloads: PayloadLoop

    init(_ folder: String, messages: Int) throws {
        payloads = try PayloadLoop(
            Content(
                title: "Paris ✈ from \"99\" EUR", body: "Book until Sunday.",
                variables: ["mediaUrl": "https://example.org/paris.png"]), parameters: "")
    }

    func runRound() throws { try payloads.render(Self.messagesPerRound) }
}

/// Renders payloads with three of the subscriber's parameters and a section.
final class PersonaliseStage: Stage {
    static let messagesPerRound = 1_000
    private var payloads: PayloadLoop

    init(_ folder: String, messages: Int) throws {
        payloads = try PayloadLoop(
            Content(
                title: "{{firstName|Dear friend}}, from \"99\" EUR",
                body: "{{city}}: {{points}} points{{#vip}}!{{/vip}}",
                variables: ["mediaUrl": "https://example.org/paris.png"]),
            parameters: #"{"city":"München","firstName":"Zoë","points":"4711"}"#)
    }

    func runRound() throws { try payloads.render(Self.messagesPerRound) }
}

/// Renders into the same memory repeatedly, as a connection does with its buffer.
private struct PayloadLoop {
    private let template: PayloadTemplate
    private let parameters: [UInt8]
    private var buffer = [UInt8](repeating: 0, count: PayloadTemplate.apnsLimitBytes)
    private var number: Int64 = 0

    init(_ content: Content, parameters: String) throws {
        template = try PayloadTemplate.apns(
            content: content, variables: [], delivery: DeliveryID(rawValue: 77), tracking: true,
            idFormat: .uuid)
        self.parameters = Array(parameters.utf8)
    }

    mutating func render(_ count: Int) throws {
        for _ in 0..<count {
            number += 1
            // Unsafe only because `render` is. The buffers belong to the arrays.
            let rendering = unsafe buffer.withUnsafeMutableBytes { buffer in
                unsafe parameters.withUnsafeBytes { parameters in
                    unsafe template.render(
                        into: buffer, identity: OpaqueID(high: 77, low: UInt64(number)), integerID: number,
                        parameters: parameters)
                }
            }
            guard case .bytes = rendering else {
                throw StageError("a payload was not rendered: \(rendering)")
            }
        }
    }
}
