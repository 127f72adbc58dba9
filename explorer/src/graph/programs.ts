/** WebGL programs: edges with dashes, nodes that are rings where a memory is no longer current. */

import type { Attributes } from "graphology-types";
import { EdgeProgram, NodeCircleProgram, createEdgeArrowHeadProgram, createEdgeCompoundProgram } from "sigma/rendering";
import type { EdgeProgramType, ProgramInfo } from "sigma/rendering";
import type { EdgeDisplayData, NodeDisplayData, RenderParams } from "sigma/types";
import { floatColor } from "sigma/utils";

const { FLOAT, UNSIGNED_BYTE, TRIANGLES } = WebGLRenderingContext;

// A dash is measured on the screen, so that it looks the same at every zoom.
const EDGE_VERTEX = `
attribute vec4 a_id;
attribute vec4 a_color;
attribute vec2 a_normal;
attribute float a_normalCoef;
attribute vec2 a_positionStart;
attribute vec2 a_positionEnd;
attribute float a_positionCoef;
attribute vec2 a_dash;
uniform mat3 u_matrix;
uniform vec2 u_dimensions;
uniform float u_sizeRatio;
uniform float u_correctionRatio;
uniform float u_minEdgeThickness;
varying vec4 v_color;
varying vec2 v_dash;
varying float v_along;
varying float v_side;
varying float v_half;
void main() {
  vec2 position = mix(a_positionStart, a_positionEnd, a_positionCoef);
  float wide = length(a_normal);
  vec2 side = wide > 0.0 ? a_normal * a_normalCoef / wide : vec2(0.0);
  float thickness = max(wide, u_minEdgeThickness * u_sizeRatio) * u_correctionRatio / u_sizeRatio;
  // Half of the width in pixels, and a pixel more for the soft border.
  v_half = length((u_matrix * vec3(side * thickness, 0)).xy * u_dimensions) * 0.5;
  v_side = a_normalCoef * (v_half + 1.0);
  thickness *= (v_half + 1.0) / max(v_half, 0.01);
  gl_Position = vec4((u_matrix * vec3(position + side * thickness, 1)).xy, 0, 1);
  vec2 span = (u_matrix * vec3(a_positionEnd, 1)).xy - (u_matrix * vec3(a_positionStart, 1)).xy;
  v_along = length(span * u_dimensions) * 0.5 * a_positionCoef;
  v_dash = a_dash;
  #ifdef PICKING_MODE
  v_color = a_id;
  #else
  v_color = a_color;
  #endif
  v_color.a *= 255.0 / 254.0;
}`;
const EDGE_FRAGMENT = `
precision highp float;
varying vec4 v_color;
varying vec2 v_dash;
varying float v_along;
varying float v_side;
varying float v_half;
void main(void) {
  #ifndef PICKING_MODE
  float alpha = v_color.a * clamp(v_half + 0.5 - abs(v_side), 0.0, 1.0);
  if (v_dash.y > 0.0) {
    float at = mod(v_along, v_dash.x + v_dash.y);
    alpha *= clamp(min(at, v_dash.x - at) + 0.5, 0.0, 1.0);
  }
  gl_FragColor = vec4(v_color.rgb * alpha, alpha);
  #else
  gl_FragColor = v_color;
  #endif
}`;
const UNIFORMS = ["u_matrix", "u_dimensions", "u_sizeRatio", "u_correctionRatio", "u_minEdgeThickness"] as const;

export interface DrawnEdge extends EdgeDisplayData {
  dash: readonly [number, number];
}

/** Lines with dashes. */
export class DashedEdges extends EdgeProgram<(typeof UNIFORMS)[number], Attributes, Attributes> {
  override getDefinition() {
    return {
      VERTICES: 6,
      VERTEX_SHADER_SOURCE: EDGE_VERTEX,
      FRAGMENT_SHADER_SOURCE: EDGE_FRAGMENT,
      METHOD: TRIANGLES,
      UNIFORMS,
      ATTRIBUTES: [
        { name: "a_positionStart", size: 2, type: FLOAT },
        { name: "a_positionEnd", size: 2, type: FLOAT },
        { name: "a_normal", size: 2, type: FLOAT },
        { name: "a_color", size: 4, type: UNSIGNED_BYTE, normalized: true },
        { name: "a_id", size: 4, type: UNSIGNED_BYTE, normalized: true },
        { name: "a_dash", size: 2, type: FLOAT },
      ],
      CONSTANT_ATTRIBUTES: [
        { name: "a_positionCoef", size: 1, type: FLOAT },
        { name: "a_normalCoef", size: 1, type: FLOAT },
      ],
      CONSTANT_DATA: [[0, 1], [0, -1], [1, 1], [1, 1], [0, -1], [1, -1]],
    };
  }

  override processVisibleItem(
    index: number,
    at: number,
    source: NodeDisplayData,
    target: NodeDisplayData,
    data: EdgeDisplayData,
  ): void {
    const { array } = this;
    const dx = target.x - source.x;
    const dy = target.y - source.y;
    const part = data.size / (Math.hypot(dx, dy) || 1);
    const { dash } = data as DrawnEdge;
    array[at++] = source.x;
    array[at++] = source.y;
    array[at++] = target.x;
    array[at++] = target.y;
    array[at++] = -dy * part;
    array[at++] = dx * part;
    array[at++] = floatColor(data.color);
    array[at++] = index;
    array[at++] = dash[0];
    array[at] = dash[1];
  }

  override setUniforms(params: RenderParams, { gl, uniformLocations }: ProgramInfo): void {
    const at = (name: (typeof UNIFORMS)[number]) => uniformLocations[name] ?? null;
    gl.uniformMatrix3fv(at("u_matrix"), false, params.matrix);
    gl.uniform2f(at("u_dimensions"), params.width, params.height);
    gl.uniform1f(at("u_sizeRatio"), params.sizeRatio);
    gl.uniform1f(at("u_correctionRatio"), params.correctionRatio);
    gl.uniform1f(at("u_minEdgeThickness"), params.minEdgeThickness);
  }
}

const HEAD_FRAGMENT = `
precision mediump float;
varying vec4 v_color;
void main(void) {
  #ifdef PICKING_MODE
  gl_FragColor = v_color;
  #else
  gl_FragColor = vec4(v_color.rgb * v_color.a, v_color.a);
  #endif
}`;
// sigma types what it makes as a program to use, not as one to extend.
const Heads = createEdgeArrowHeadProgram({ lengthToThicknessRatio: 5, widenessToThicknessRatio: 4 }) as unknown as typeof DashedEdges;

/** Heads of arrows that are as transparent as their lines. */
class FadedHeads extends Heads {
  override getDefinition() {
    return { ...super.getDefinition(), FRAGMENT_SHADER_SOURCE: HEAD_FRAGMENT };
  }
}

/** Dashed lines with a head at the target. */
export const DashedArrows: EdgeProgramType = createEdgeCompoundProgram([
  DashedEdges as unknown as EdgeProgramType,
  FadedHeads as unknown as EdgeProgramType,
]);

const RING_FRAGMENT = `
precision highp float;
varying vec4 v_color;
varying vec2 v_diffVector;
varying float v_radius;
uniform float u_correctionRatio;
void main(void) {
  float border = u_correctionRatio * 2.0;
  float away = length(v_diffVector);
  float outer = away - v_radius + border;
  #ifdef PICKING_MODE
  gl_FragColor = outer > border ? vec4(0.0) : v_color;
  #else
  float inside = 1.0 - clamp(outer / border, 0.0, 1.0);
  float ring = clamp((away - v_radius * 0.55) / border, 0.0, 1.0);
  gl_FragColor = v_color * inside * max(ring, 0.18);
  #endif
}`;

/** Rings: memories that were superseded or deprecated. */
export class RingNodes extends NodeCircleProgram {
  override getDefinition() {
    return { ...super.getDefinition(), FRAGMENT_SHADER_SOURCE: RING_FRAGMENT };
  }
}
