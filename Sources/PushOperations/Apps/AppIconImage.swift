internal import PushModel

/// A PNG, which JSON contains in base64. The use case that takes it checks the image.
package struct AppIconImage: TextValue, Equatable {
    package var png: [UInt8]

    package init(png: [UInt8]) { self.png = png }

    package static var allowed: String { Base64Bytes.allowed }
    package static var example: String { Base64Bytes.example }
    package var jsonText: String { Base64Bytes(wrappedValue: png).jsonText }
    package init?(jsonText text: String) {
        guard let bytes = Base64Bytes(jsonText: text) else { return nil }
        self.init(png: bytes.wrappedValue)
    }

    func icon() throws(OperationError) -> AppIcon {
        do throws(AppIcon.Fault) { return try AppIcon(png: png) } catch {
            throw .refused("the icon \(error)")
        }
    }
}
