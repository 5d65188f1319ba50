package import PushModel

/// Which parts are this host's, where several send from one store. A part that nobody has is taken before
/// its first message is read, and given back when it has nothing to send for a while.
///
/// **Promises.** No part is two hosts' at a time. What a host had that fell silent is free again only after
/// its children may begin no request any more.
package protocol PartLeases: AnyObject, Sendable {
    /// Takes those of these parts that nobody has. - Returns: those that are this host's now, or were before.
    func take(_ parts: [PartID]) throws(StoreError) -> Set<PartID>
    /// Takes parts of which something is due by then and that nobody has: some of each app, none of some and one
    /// of others.
    func takeDue(by now: WallTime, except none: [AppID], oneOf few: [AppID]) throws(StoreError)
    /// Gives back what has ended, and what has nothing due before then.
    func giveBack(unlessDueBy moment: WallTime) throws(StoreError)
    /// Gives back all parts of these apps.
    func giveBack(of apps: [AppID]) throws(StoreError)
    /// Which hosts have parts of these, by their numbers.
    func holders(ofDeliveries deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID: Set<Int64>]
    func holders(ofApps apps: [AppID]) throws(StoreError) -> [AppID: Set<Int64>]
    /// This process's number; 0 where it has none.
    var ownTerm: Int64 { get }
    /// Which of these deliveries have ended: another host may have recorded the last outcome.
    func ended(among deliveries: [DeliveryID]) throws(StoreError) -> [DeliveryID]
}
