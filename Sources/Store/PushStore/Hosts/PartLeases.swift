package import PushModel

/// The parts that belong to this host, if several hosts send from one store. The host takes a free part
/// before it reads the part's first message, and gives the part back when the part has had nothing to send
/// for a while.
///
/// **Promises.** No part belongs to two hosts at a time. The parts of a host that fell silent are free again
/// only after its children are no longer permitted to begin a request.
package protocol PartLeases: AnyObject, Sendable {
    /// Takes those of the given parts that no host has.
    /// - Returns: The given parts that this host now has, including those that it already had.
    func take(_ parts: [PartID]) throws(StoreError) -> Set<PartID>
    /// Takes free parts that have something due by the given moment: some parts of each app, but no part of
    /// an app in `none`, and only one part of each app in `few`.
    func takeDue(by now: WallTime, except none: [AppID], oneOf few: [AppID]) throws(StoreError)
    /// Gives back parts that have ended, and parts that have nothing due before the given moment.
    func giveBack(unlessDueBy moment: WallTime) throws(StoreError)
    /// Gives back all parts of these apps.
    func giveBack(of apps: [AppID]) throws(StoreError)
    /// Returns, for each of these deliveries, the numbers (``ownTerm``) of the hosts that have parts of it.
    func holders(ofDeliveries deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID: Set<Int64>]
    func holders(ofApps apps: [AppID]) throws(StoreError) -> [AppID: Set<Int64>]
    /// This process's number; 0 if it has none.
    var ownTerm: Int64 { get }
    /// Returns those of the given deliveries that have ended. Another host may have recorded the last
    /// outcome.
    func ended(among deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID]
}
