internal import PushModel

/// A PNG as callers give it and get it: base64 in JSON. What it must be is checked by who takes it.
package struct AppIconImage: Codable, Equatable, Sendable {
    package var png: [UInt8]

    package init(png: [UInt8]) { self.png = png }

    package init(from decoder: any Decoder) throws { png = try Base64Bytes(from: decoder).wrappedValue }

    package func encode(to encoder: any Encoder) throws {
        try Base64Bytes(wrappedValue: png).encode(to: encoder)
    }

    func icon() throws(OperationError) -> AppIcon {
        do throws(AppIcon.Fault) { return try AppIcon(png: png) } catch {
            throw .refused("the icon \(error)")
        }
    }
}
