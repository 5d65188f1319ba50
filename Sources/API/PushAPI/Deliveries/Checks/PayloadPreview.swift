internal import GatewayKit
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushPayload
internal import PushWire

/// A preview of what subscribers of one app would receive from a delivery that does not exist yet. Its ids
/// are placeholders with the maximum width of an id (zeros, or the greatest number).
struct PayloadPreview {
    /// Whether the payload contains subscribers' own values or languages, so that the result may differ for
    /// each subscriber.
    var isPersonalised: Bool { template.isPersonalised }

    /// The languages that have their own content.
    var languages: [LanguageTag] { template.ownLanguages }

    private let template: PayloadTemplate
    private let secondsToLive: Int64
    private let entry: ConnectorEntry?

    /// The value of `_mId` if the app's ids are opaque.
    private static let identity = OpaqueID(high: 0, low: 0)
    /// The value of `_dId`, and of `_mId` if the app's ids are integers.
    private static let number = PayloadCheck.widestID.rawValue

    /// - Parameter expiresAt: The end of the delivery's validity, which starts at `begin`.
    init(
        of content: Content, tracking: Bool, for app: App, from begin: WallTime, expiresAt: WallTime,
        _ gateways: NMACConfiguration
    ) throws(PayloadError) {
        template = try PayloadCheck.template(of: content, tracking: tracking, for: app, gateways)
        entry = ConnectorCatalogue.speaking(for: app.settings)
        secondsToLive = entry?.secondsToLive(expiresAt, begin) ?? 0
    }

    /// - Parameters:
    ///   - token: The token, in UTF-8.
    ///   - filling: A ``PushModel/MessageFilling``.
    func rendered(token: [UInt8], filling: [UInt8]) -> PayloadTemplate.Rendered {
        template.rendered(
            identity: Self.identity, integerID: Self.number, token: spelled(token),
            secondsToLive: secondsToLive, parameters: filling)
    }

    /// Reports whether the content's text is shortened for a device so that its gateway accepts the payload.
    func isShortened(token: [UInt8], filling: [UInt8]) -> Bool {
        template.isShortened(
            identity: Self.identity, integerID: Self.number, token: spelled(token),
            secondsToLive: secondsToLive, parameters: filling)
    }

    /// Returns which of ``languages`` a device receives; `nil` if it receives the content for all other
    /// languages.
    func language(of filling: [UInt8]) -> LanguageTag? { template.language(of: filling) }

    /// - Parameters:
    ///   - bytes: The rendered payload.
    ///   - token: The token with which the payload was rendered.
    ///   - filling: The filling with which the payload was rendered.
    func view(of bytes: [UInt8], token: [UInt8], filling: [UInt8]) -> PayloadView {
        PayloadView(
            payload: String(decoding: bytes, as: UTF8.self),
            bytes: template.countedBytes(
                of: bytes.count, token: spelled(token), secondsToLive: secondsToLive, filling: filling),
            limitBytes: template.limitBytes)
    }

    /// Returns a list with this one token if the template takes a list; otherwise, the token itself.
    private func spelled(_ token: [UInt8]) -> [UInt8] {
        template.takesTokenList ? entry?.listed(token) ?? token : token
    }
}

/// A payload as its gateway would receive it.
package struct PayloadView: View, Equatable {
    package static let about = [
        "payload": "the payload that the gateway receives; the ids in it are placeholders",
        "bytes":
            """
        the size as the gateway counts it; for FCM, without the members around `data` and \
        `notification`
        """,
    ]

    package var payload: String
    package var bytes: Int
    package var limitBytes: Int
}
