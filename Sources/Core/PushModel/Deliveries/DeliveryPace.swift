/// How fast a delivery is sent, and how long the remaining messages take at this rate.
package struct DeliveryPace: Equatable, Sendable {
    /// The number of waiting messages; `nil` while preparation may still add messages.
    package var left: Int?
    /// The number of messages that have been sent or have failed.
    package var ended = 0
    package var secondsSinceStart = 0.0
    /// The number of answers per second within the last ``recentSeconds``; `nil` if it is not known.
    package var recentPerSecond: Double?
    package var limit = SendingLimit.nothingToDo

    /// The period of ``recentPerSecond``.
    package static let recentSeconds = 10.0

    package init() {}

    /// The measured rate; `nil` if nothing has been sent. In the first seconds, it is the mean since the
    /// start.
    package var perSecond: Double? {
        let mean = secondsSinceStart > 0 ? Double(ended) / secondsSinceStart : 0
        let rate = secondsSinceStart < Self.recentSeconds ? mean : recentPerSecond ?? mean
        return rate > 0 ? rate : nil
    }

    /// The number of seconds that the remaining messages take at the measured rate; `nil` if this time is
    /// unknown.
    package var secondsLeft: Int? {
        guard let left, ![.held, .paused, .nothingToDo].contains(limit), let perSecond else { return nil }
        return Int(exactly: (Double(left) / perSecond).rounded(.up))
    }
}

/// A delivery that has ended: how many of its messages were sent at full speed, and how long that took.
package struct MeasuredDelivery: Equatable, Sendable {
    package var messages: Int
    package var seconds: Double

    package init(messages: Int, seconds: Double) { (self.messages, self.seconds) = (messages, seconds) }
}

/// The figure that determines how long it takes to send a delivery.
package enum EstimateBasis: String, Codable, CaseIterable, Sendable { case throughput, quota, rate }
