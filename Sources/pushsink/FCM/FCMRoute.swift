/// Which of FCM's two APIs a request is for.
package enum FCMRoute: Equatable {
    /// The range of the project's name in the path.
    case v1(project: Range<Int>)
    case legacy

    private static let front: StaticString = "/v1/projects/"
    private static let back: StaticString = "/messages:send"

    /// Nil: there is nothing there. A query is passed over.
    package init?(method: Bytes?, path: Bytes?) {
        guard let method, method.equals("POST"), let path else { return nil }
        let end = path.firstIndex(of: UInt8(ascii: "?")) ?? path.count
        let place = Bytes(rebasing: path[..<end])
        if place.equals("/fcm/send") {
            self = .legacy
            return
        }
        let from = Self.front.utf8CodeUnitCount, to = place.count - Self.back.utf8CodeUnitCount
        guard place.starts(with: Self.front), to > from, place.from(to).equals(Self.back),
            !place[from..<to].contains(UInt8(ascii: "/"))
        else { return nil }
        self = .v1(project: from..<to)
    }
}
