"""All changes to a model that the attack makes; each is a function of the dice and the message."""
from graph_changes import (function_changed, inputs_and_outputs, metadata, name_everywhere, name_here, same_node_names, subgraph_depth,
                           value_shape, value_type, versions)
from node_changes import (attribute_added, attribute_number, attribute_removed, attribute_replaced, edge_replaced,
                          inputs_removed_or_added, long_chain, nodes_moved, other_domain, other_operator, outputs_changed)
from tensor_changes import (external_entries, sparse_tensor, tensor_bytes, tensor_shape, tensor_shape_of_another, tensor_twice,
                            tensor_type, tensor_values)

#: What stands here twice is done twice as often.
CHANGES = [other_operator, other_domain, attribute_removed, attribute_replaced, attribute_number, attribute_number, attribute_added,
           edge_replaced, inputs_removed_or_added, outputs_changed, nodes_moved, long_chain, tensor_shape, tensor_shape_of_another,
           tensor_type, tensor_bytes, tensor_values, tensor_values, tensor_twice, sparse_tensor, external_entries, external_entries,
           value_type, value_shape, inputs_and_outputs, name_everywhere, name_everywhere, name_here, same_node_names, subgraph_depth,
           function_changed, versions, metadata]
