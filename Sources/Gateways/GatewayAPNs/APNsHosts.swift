internal import PushModel
internal import PushWire

/// The addresses of APNs (Apple, "Sending notification requests to APNs").
enum APNsHosts {
    static let production = "api.push.apple.com"

    static func host(for order: AccountOrder) -> String {
        if !order.gateway.address.isEmpty { return order.gateway.address }
        return order.environment == .sandbox ? "api.sandbox.push.apple.com" : production
    }
}
