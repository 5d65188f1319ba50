internal import GatewayAPNs
internal import GatewayFCM
package import PushModel
package import PushWire

extension ContentDocument {
    /// The document with the sections of all gateways.
    package static let every = ContentDocument(sections: [.ios, .android])

    package static func decode(_ bytes: [UInt8]) throws(WireError) -> Content { try every.decode(bytes) }
    package static func read(_ value: JSONValue) throws(WireError) -> Content { try every.read(value) }
    package static func encode(_ content: Content) -> [UInt8] { every.encode(content) }
}

extension DeliveryDocument {
    package static func parse(
        _ bytes: [UInt8], target source: TargetSource = .document
    ) throws(WireError) -> DeliveryDocument {
        try parse(bytes, contents: .every, target: source)
    }

    package static func read(
        _ value: JSONValue, target source: TargetSource = .document
    ) throws(WireError) -> DeliveryDocument {
        try read(value, contents: .every, target: source)
    }

    package static var schema: Schema { schema(.every) }
    /// The content as the store keeps it.
    package var contentJSON: [UInt8] { ContentDocument.encode(content) }
}

extension TemplateDocument {
    package static func parse(_ bytes: [UInt8]) throws(WireError) -> TemplateDocument {
        try parse(bytes, contents: .every)
    }

    package static var schema: Schema { schema(.every) }
}

extension MessageDocument {
    package static var schema: Schema { schema(.every) }
}
